/** A kind of content. Its tests read the head of a file as text, a character a byte. */
export interface ContentKind {
  /** MIME type. */
  readonly type: string
  /** With its dot; '' if it has none. */
  readonly extension: string
  readonly test: Test
  /** Other names of the type, all of which a field may ask for. */
  readonly aliases?: readonly string[]
  /** More special kinds, asked in this order once this one is certain. */
  readonly kinds?: readonly ContentKind[]
}

/** Whether the head of a file is of a kind. A head of HEAD_BYTES may go on. */
export type Test = (head: string) => boolean

/** How much of a file is looked at. PocketBase: the default of its MIME library */
export const HEAD_BYTES = 3072

/** Begins with one of these. */
export const begins =
  (...signatures: readonly string[]): Test =>
  (head) =>
    signatures.some((signature) => head.startsWith(signature))

/** Has one of these at a place. */
export const has =
  (at: number, ...signatures: readonly string[]): Test =>
  (head) =>
    signatures.some((signature) => head.startsWith(signature, at))

/** All of these hold. */
export const all =
  (...tests: readonly Test[]): Test =>
  (head) =>
    tests.every((test) => test(head))

/** Has at least so many bytes. */
export const atLeast =
  (bytes: number): Test =>
  (head) =>
    head.length >= bytes

/** Four bytes, the lowest first; NaN beyond the end. */
export const uint32 = (head: string, at: number): number =>
  (head.charCodeAt(at) |
    (head.charCodeAt(at + 1) << 8) |
    (head.charCodeAt(at + 2) << 16) |
    (head.charCodeAt(at + 3) << 24)) >>>
  0

/** The same of two bytes. */
export const uint16 = (head: string, at: number): number =>
  head.charCodeAt(at) | (head.charCodeAt(at + 1) << 8)
