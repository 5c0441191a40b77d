/** A number as the whole world dials it: `+`, 2 to 15 digits, the first not 0. ITU-T E.164 */
export const E164 = /^\+[1-9][0-9]{1,14}$/

/** A number without what people write between its digits: spaces, `-`, `.`, `(` and `)`. */
export const withoutSeparators = (number: string): string => number.replace(/[\s\-.()]/g, '')
