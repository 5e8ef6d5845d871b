/** Cursor of a page: the id of an item. */
export const idCursor = {
  type: 'string',
  minLength: 1,
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
};

/** Cursor of a page: a string in base64url. */
export const textCursor = { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9_-]+$' };
