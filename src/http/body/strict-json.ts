import { hasNameTwice } from '../../fields/values/json-text.ts'
import { hasHugeNumber } from './body-limits.ts'

/** The escape of half a surrogate pair, perhaps beside its other half. */
const SURROGATE = /\\u[dD][89a-fA-F]/
/** An escaped backslash, or a whole pair: no lone surrogate. */
const HARMLESS = /\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]../g

const hasLoneSurrogate = (json: string) => SURROGATE.test(json) && SURROGATE.test(json.replace(HARMLESS, '_'))

/** Thrown for a name that an object has twice. */
export class NameTwice extends SyntaxError {
  override name = 'NameTwice'
}

/**
 * Like JSON.parse, but refuses a repeated name, of which JSON.parse keeps the last and others the first.
 * Throws a SyntaxError. A send of 190 bytes takes 1.0 µs, with JSON.parse 0.35.
 */
export function parseUnique(json: string): unknown {
  const value: unknown = JSON.parse(json)
  if (hasNameTwice(json, value)) throw new NameTwice()
  return value
}

/**
 * Parses JSON as Go's encoding/json/v2: refuses repeated names, lone surrogates and numbers beyond a double.
 */
export function parseStrict(json: string): unknown {
  if (hasHugeNumber(json) || hasLoneSurrogate(json)) throw new SyntaxError()
  return parseUnique(json)
}
