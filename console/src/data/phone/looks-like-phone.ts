/** Whether a text looks like a phone number of any country. Counts digits, but knows no numbering plans. */
export const looksLikePhone = (text: string): boolean =>
  /^(?:[+0]\d{3,15}|\d{9,15})$/.test(text.replace(/^tel:|[\s()\-./]/gi, ''))
