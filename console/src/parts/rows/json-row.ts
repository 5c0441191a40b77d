import { t } from '../../language/words.ts'
import type { Value } from './values.ts'

/** The text to edit for a stored value: JSON, or the value itself if it is a string. */
export const readJson = (stored: unknown): string => {
  if (typeof stored === 'string') return stored
  return stored ? JSON.stringify(stored, null, 2) : ''
}

const writeJson = (typed: Value): unknown => {
  const text = String(typed).trim()
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const findJsonFault = (typed: Value) =>
  /^\s*[[{]/.test(String(typed)) && typeof writeJson(typed) === 'string'
    ? t('This is no JSON.')
    : undefined

/** The value in a form's row of JSON. A text that is no JSON is stored as a text. */
export const JSON_ROW = {
  spellcheck: false,
  read: readJson,
  write: writeJson,
  error: findJsonFault,
} as const
