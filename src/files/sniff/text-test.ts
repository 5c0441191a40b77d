/** Marks of an encoding at the beginning of a text. */
const BYTE_ORDER_MARKS: readonly (readonly [mark: string, charset: string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\0\0\xfe\xff', 'utf-32be'],
  ['\xff\xfe\0\0', 'utf-32le'],
  ['\xfe\xff', 'utf-16be'],
  ['\xff\xfe', 'utf-16le'],
]

/** The encoding that a text says it has by its first bytes; '' if they say nothing. */
export const markedCharset = (head: string): string =>
  BYTE_ORDER_MARKS.find(([mark]) => head.startsWith(mark))?.[1] ?? ''

const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/**
 * Text of any kind: no byte that only binary content has. https://mimesniff.spec.whatwg.org/#binary-data-byte
 */
export const isText = (head: string): boolean => markedCharset(head) !== '' || !BINARY.test(head)
