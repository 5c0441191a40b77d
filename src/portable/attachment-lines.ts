/** A file of an MMS, as its sender describes it. */
interface DescribedFile {
  readonly name?: string | undefined
  readonly contentType?: string | undefined
  readonly size?: number | undefined
}

const [KEPT, LEFT_OUT] = ['Attachment:', 'Attachment left out:']

/** A line for each file, such as `Attachment: beach.jpg image/jpeg 300000 bytes`. */
export const writeAttachmentLines = (files: readonly DescribedFile[], word = KEPT): string[] =>
  files.map(({ name, contentType, size }) =>
    [word, name, contentType, size !== undefined && `${size} bytes`]
      .filter(Boolean)
      .join(' ')
      .replace(/\s+/g, ' '),
  )

/** The words of a text's sender, without lines about files. */
export const dropAttachmentLines = (body: string): string =>
  body.includes(LEFT_OUT) || body.includes(KEPT)
    ? body
        .split('\n')
        .filter((line) => !line.startsWith(KEPT) && !line.startsWith(LEFT_OUT))
        .join('\n')
    : body

/** The text of an MMS: the words of its sender, else the names of its kept files; and the files left out. */
export function writeMmsText(
  words: readonly string[],
  kept: readonly DescribedFile[],
  left: readonly DescribedFile[],
): string {
  const shown = words.length > 0 ? words : writeAttachmentLines(kept)
  return [...shown, ...writeAttachmentLines(left, LEFT_OUT)].join('\n')
}
