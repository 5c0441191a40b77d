/** Why a row of a list gets no text, beside the reasons of refused messages. */
export const LIST_REASONS = {
  noNumber: 'No number',
  notANumber: 'Not a phone number',
  noCountry: 'No calling code and no country',
  tooManyCells: 'More cells than titles',
  tooLong: 'The text is too long',
  noText: 'The text is empty',
} as const

export const writeMissingReason = (name: string): string => `No value: ${name}`
export const writeSameTextReason = (line: number): string => `The same text as line ${line}`
