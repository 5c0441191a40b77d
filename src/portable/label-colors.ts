/** The colors of labels. The console's styles have a pair of tokens for each. */
export const LABEL_COLORS = [
  'gray',
  'red',
  'orange',
  'yellow',
  'green',
  'teal',
  'blue',
  'purple',
] as const

export type LabelColor = (typeof LABEL_COLORS)[number]
