/** The part of the package that tests use as an oracle; it includes no types. */
declare module 'google-libphonenumber' {
  interface PhoneNumberUtil {
    parse(text: string, region: string): object;
    isValidNumber(number: object): boolean;
  }
  const library: { PhoneNumberUtil: { getInstance(): PhoneNumberUtil } };
  export default library;
}
