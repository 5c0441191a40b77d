/** A number as the whole world dials it: `+`, 2 to 15 digits, the first not 0. ITU-T E.164 */
export const E164 = /^\+[1-9][0-9]{1,14}$/

/** The calling code of an E.164 number, as `+49`; all of North America's is `+1`. ITU-T E.164 list */
export const callingCodeOf = (number: string): string => CALLING_CODE.exec(number)![0]
const CALLING_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{1,3})/

/** A number without what people write between its digits: spaces, `-`, `.`, `(` and `)`. */
export const withoutSeparators = (number: string): string => number.replace(/[\s\-.()]/g, '')

/** A number as people and programs write it, with its `+`: of `0049151…` and `49151…`, too. Not checked. */
export const withPlus = (number: string): string => withoutSeparators(number).replace(/^(00)?(?=[1-9])/, '+')
