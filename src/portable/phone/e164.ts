/** A phone number in E.164: `+` and 7 to 15 digits, the first not 0. ITU-T E.164 */
export const E164 = /^\+[1-9][0-9]{6,14}$/

/** A short code: 3 to 6 digits, the first not 0. Only subscribers of the same network reach it. */
export const SHORT_CODE = /^[1-9][0-9]{2,5}$/
