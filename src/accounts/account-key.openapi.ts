/** The parts of a path that name one account of a supplier. */
export const accountKeyPath = {
  supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
  external: { description: 'Number of the account in the external system.', example: 'HOME-00004711' },
};
