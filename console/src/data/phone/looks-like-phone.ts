/** Whether a cell seems to hold a phone number, without a judgement on its country. */
export const looksLikePhone = (text: string): boolean =>
  /^(?:[+0]\d{3,15}|\d{9,15})$/.test(text.replace(/^tel:|[\s()\-./]/gi, ''))
