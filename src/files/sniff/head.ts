/** How much of a file is looked at. PocketBase: the default of its MIME library */
export const HEAD_BYTES = 3072
