/** Bytes of a file that are examined. PocketBase: the default of its MIME library */
export const HEAD_BYTES = 3072
