import { ApiError, badRequest } from '../../errors.ts'
import { type Shape, ShapeError } from '../../fields/shape.ts'
import type { Ctx } from '../context.ts'
import { bodyOf } from '../request-info.ts'

/** Enough for tokens and passwords. Guests may send these forms. */
const MAX_FORM_BYTES = 1 << 20

/** The general message for an unreadable body, which the form's own replaces. */
const UNREADABLE = badRequest().message

/** `terse`: the error for an unreadable body has no details. */
export interface FormOptions {
  readonly terse?: boolean
  readonly maxBytes?: number
}

/** Reads a body with fixed fields: unknown ones are ignored, missing ones are zero. Throws 400. */
export async function readForm<T extends object>(
  c: Ctx,
  shape: Shape<T>,
  { terse = false, maxBytes = MAX_FORM_BYTES }: FormOptions = {},
): Promise<T> {
  try {
    const { values, isJson } = await bodyOf(c, maxBytes)
    return withoutNul(shape.over(isJson ? values : asTexts(values, shape.zero()), shape.zero(), isJson))
  } catch (error) {
    const isVague =
      error instanceof ApiError && error.status === 400 && (terse || error.message === UNREADABLE)
    if (error instanceof ShapeError || isVague)
      throw badRequest('An error occurred while loading the submitted data.')
    throw error
  }
}

/** Replaces NUL, which Postgres refuses, by a character that no address and no id contains. */
const withoutNul = <T extends object>(form: T): T =>
  Object.fromEntries(
    Object.entries(form).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
    ]),
  ) as T

/** Undoes type guesses of a form: makes values of text fields texts; takes the first of several. */
function asTexts(values: Readonly<Record<string, unknown>>, zero: object): Record<string, unknown> {
  const firsts = Object.entries(values).map(
    ([key, value]) => [key, Array.isArray(value) ? value[0] : value] as const,
  )
  const isTextual = (key: string) => typeof zero[key as keyof typeof zero] === 'string'
  const known = firsts.filter(([key, value]) => Object.hasOwn(zero, key) && (value !== '' || isTextual(key)))
  return Object.fromEntries(known.map(([key, value]) => [key, isTextual(key) ? String(value) : value]))
}
