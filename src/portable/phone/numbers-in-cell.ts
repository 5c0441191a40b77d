import { looksDialable, type PhoneReading } from './read-phone.ts'
import { readTypedPhone } from './read-typed-phone.ts'

/** Google joins several values of one kind in a cell by this. */
const GOOGLE = ':::'
/** Other marks between two numbers in a cell. Numbers contain them, too, as in `0151/20000010`. */
const BETWEEN = /[,;/|\n]/
/** Minimum digits of a whole number. */
const MIN_DIGITS = 7
/** Maximum characters of a cell that most likely has a number. */
const MAX_LENGTH = 200
const DATE = /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./-])\d{1,2}\1\d{2,4})(?!\d)/

const hasNumber = (text: string): boolean => text.replace(/\P{Nd}/gu, '').length >= MIN_DIGITS

/** The texts of the numbers in a cell: several, one, or the whole cell if it has no number. */
export function splitCellNumbers(cell: string): string[] {
  const parts = cell.split(GOOGLE).filter((part) => part.trim() !== '')
  return parts.length === 0 ? [''] : parts.flatMap(splitNumbers)
}

function splitNumbers(text: string): string[] {
  const parts = text.split(BETWEEN)
  return parts.every(hasNumber) ? parts : [text]
}

/** Whether a cell most likely has a phone number: it can be read, or lacks only its country. */
export function isNumberCell(cell: string, country = ''): boolean {
  if (cell.length > MAX_LENGTH) return false
  const [text = ''] = splitCellNumbers(cell.trim())
  if (!hasNumber(text) || text.includes('@') || DATE.test(text.trim())) return false
  const reading = readTypedPhone(text, country)
  return reading.phone !== undefined || (isWithoutCountry(reading) && looksDialable(text))
}

const isWithoutCountry = ({ fault }: PhoneReading) => fault?.problem === 'no-country'
