import { findClosingQuote, isTooComplex } from '../../engine/fields/json-text.ts'
import { badRequest } from '../../platform/api-errors.ts'
import type { RequestBody } from '../served-request.ts'
import { JSON_BOUNDS, parseStrict } from './raw-body.ts'

export function readPayload(text: string): RequestBody['values'] | null {
  const whole = text.trimEnd()
  if (findFirstValueEnd(whole) !== whole.length) throw badRequest()
  return whole.trimStart() === 'null' ? null : parseJsonObject(whole)
}

function parseFirstValue(text: string): unknown {
  try {
    return parseStrict(text)
  } catch {
    const end = findFirstValueEnd(text)
    if (end === undefined) throw badRequest()
    try {
      return parseStrict(text.slice(0, end))
    } catch {
      throw badRequest()
    }
  }
}

export function findFirstValueEnd(text: string): number | undefined {
  let depth = 0
  const start = text.search(/[^ \t\r\n]/)
  if (text.startsWith('null', start)) return start + 4
  if (text[start] !== '{') return undefined
  for (let i = start; i < text.length; i++) {
    const c = text[i]
    if (c === '"') i = findClosingQuote(text, i)
    else if (c === '{' || c === '[') depth++
    else if ((c === '}' || c === ']') && --depth === 0) return i + 1
  }
  return undefined
}

/** Parses the JSON object or null at the start of a text. As in Go, ignores the rest. Throws 400. */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (isTooComplex(text, JSON_BOUNDS)) throw badRequest()
  const value = parseFirstValue(text)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw badRequest()
  return value as Record<string, unknown>
}
