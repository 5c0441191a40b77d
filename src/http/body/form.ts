import { toScalarText } from '../../engine/fields/convert-values.ts'
import { type Shape, ShapeError } from '../../engine/fields/json-shapes.ts'
import { ApiError, badRequest } from '../../platform/api-errors.ts'
import type { Ctx } from '../request-context.ts'
import { requireMaxBytes } from './max-bytes.ts'
import { readRequestBody } from './read-body.ts'

/** PocketBase's general message of a 400. `readForm` replaces it by a more specific one. */
const UNREADABLE = badRequest().message

/** `terse`: all 400s for an unreadable body have the same message. */
export interface FormOptions {
  readonly terse?: boolean
}

/** Reads a body into the fields of `shape`. Ignores other fields; absent ones get zero values. Throws 400. */
export async function readForm<T extends object>(
  c: Ctx,
  shape: Shape<T>,
  { terse = false }: FormOptions = {},
): Promise<T> {
  requireMaxBytes(c)
  try {
    const { values, isJson } = await readRequestBody(c)
    return replaceNul(
      shape.over(isJson ? values : toFirstTexts(values, shape.zero()), shape.zero(), isJson),
    )
  } catch (error) {
    const isVague =
      error instanceof ApiError && error.status === 400 && (terse || error.message === UNREADABLE)
    if (error instanceof ShapeError || isVague)
      throw badRequest('An error occurred while loading the submitted data.')
    throw error
  }
}

/** Replaces NUL by U+FFFD: Postgres refuses NUL, and no address or id contains U+FFFD. */
const replaceNul = <T extends object>(form: T): T =>
  Object.fromEntries(
    Object.entries(form).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
    ]),
  ) as T

/** A form's value as text. Throws ShapeError for a list or an object, which only `@jsonPayload` can bring. */
function requireScalarText(value: unknown): string {
  const text = toScalarText(value)
  if (text === undefined) throw new ShapeError()
  return text
}

/** Turns guessed form values back into texts where a field is text. Takes the first of several values. */
function toFirstTexts(
  values: Readonly<Record<string, unknown>>,
  zero: object,
): Record<string, unknown> {
  const firsts = Object.entries(values).map(
    ([key, value]) => [key, Array.isArray(value) ? value[0] : value] as const,
  )
  const isTextual = (key: string) => typeof zero[key as keyof typeof zero] === 'string'
  const known = firsts.filter(
    ([key, value]) => Object.hasOwn(zero, key) && (value !== '' || isTextual(key)),
  )
  return Object.fromEntries(
    known.map(([key, value]) => [key, isTextual(key) ? requireScalarText(value) : value]),
  )
}
