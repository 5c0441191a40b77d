/** The formats of a date or a number, behind a colon: `{{Termin:long}}`. */
export const FIELD_FORMATS = ['long', 'weekday', 'plain'] as const
/** Formats of a date with a time: only its day, only its time. */
const PARTS = ['day', 'time'] as const
export type FieldFormat = (typeof FIELD_FORMATS | typeof PARTS)[number]

const FORMAT = new RegExp(`^(.*\\S)\\s*:\\s*(${[...FIELD_FORMATS, ...PARTS].join('|')})$`, 'is')

/** A variable's name without its format, and the format; undefined if it has none. */
export function splitFormat(name: string): { name: string; format: FieldFormat } | undefined {
  const [, base, format] = FORMAT.exec(name) ?? []
  return base && format ? { name: base, format: format.toLowerCase() as FieldFormat } : undefined
}

export const dropFormat = (name: string): string => splitFormat(name)?.name ?? name
