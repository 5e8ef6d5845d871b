/** A row of the account view: its position, and its columns as the text of a JSON object with at least one member. */
export interface AccountViewRow {
  table: string;
  /** Position of the parent row in its table; null at the first level. */
  above: number | null;
  position: number | null;
  json: string;
}

/** The rows of a table as a list in their parent row, and the lists in each of them. */
export interface RowList {
  table: string;
  below?: Readonly<Record<string, RowList>>;
}

type RowsByPlace = Map<string, Map<number | null, AccountViewRow[]>>;

/**
 * Nests the rows of one account by the name of their list. JSON texts are concatenated instead of parsed, so that numbers keep all
 * digits.
 * @returns JSON text; undefined if there was no import process
 */
export function nestAccountView(
  rows: readonly AccountViewRow[],
  lists: Readonly<Record<string, RowList>>,
): string | undefined {
  const places = byPlace(rows);
  const [process] = rowsAt(places, 'import_process', null);
  if (process === undefined) return undefined;
  const [account] = rowsAt(places, 'account', null);
  return `${unclosed(process.json)},"account":${account === undefined ? 'null' : withLists(places, account.json, lists, null)}}`;
}

function byPlace(rows: readonly AccountViewRow[]): RowsByPlace {
  const places: RowsByPlace = new Map();
  for (const row of rows) {
    let ofTable = places.get(row.table);
    if (ofTable === undefined) places.set(row.table, (ofTable = new Map()));
    const found = ofTable.get(row.above);
    if (found === undefined) ofTable.set(row.above, [row]);
    else found.push(row);
  }
  return places;
}

/** In the order of the payload, not of the query. */
function rowsAt(places: RowsByPlace, table: string, above: number | null): AccountViewRow[] {
  return (places.get(table)?.get(above) ?? []).toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
}

function withLists(
  places: RowsByPlace,
  json: string,
  lists: Readonly<Record<string, RowList>>,
  position: number | null,
): string {
  let text = unclosed(json);
  for (const [name, { table, below }] of Object.entries(lists)) {
    const items = rowsAt(places, table, position).map((row) =>
      below === undefined ? row.json : withLists(places, row.json, below, row.position),
    );
    text += `,${JSON.stringify(name)}:[${items.join(',')}]`;
  }
  return `${text}}`;
}

/** An object without its closing brace, so that members can follow. */
const unclosed = (json: string) => json.slice(0, json.lastIndexOf('}'));
