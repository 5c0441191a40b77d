import { readFileSync } from 'node:fs'
import { DATA_URL } from '../../../portable/data-url.ts'

const ENCODINGS = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
])
/** A file of gammu's backups, as `InboxFormat = detail` writes it: comments, then sections. */
const BACKUP = /^(?:;.*\r?\n|\s)*\[SMSBackup\d+\]/

/**
 * Reads a text from the files of its parts: `.txt` with the words, `.bin` with the bytes of a binary message.
 * Undefined for a delivery report.
 */
export function readInboxFiles(files: readonly string[]): string | undefined {
  const parts = files.map((file) => readFileSync(file))
  if (files[0]?.endsWith('.bin')) return toDataUrl(parts)
  const texts = parts.map(decode)
  return BACKUP.test(texts[0] ?? '') ? readBackup(texts[0]!) : texts.join('')
}

const toDataUrl = (parts: readonly Buffer[]) => DATA_URL + Buffer.concat(parts).toString('base64')

/**
 * Decodes UTF-16 if there is a byte order mark (as with `InboxFormat = unicode`), else UTF-8. Until 1.43,
 * gammu-smsd writes more than the text: a zero, and remains of other texts.
 */
function decode(bytes: Buffer): string {
  const decoder = new TextDecoder(ENCODINGS.get(bytes.toString('hex', 0, 2)) ?? 'utf-8')
  return decoder.decode(bytes).split('\0', 1)[0]!
}

/** Reads the lines `Text00 = 0048…` of all sections: UTF-16, or the bytes of a binary message. */
function readBackup(backup: string): string | undefined {
  if (/^PDU = Status_Report/m.test(backup)) return undefined
  const sections = backup.split(/^\[SMSBackup\d+\]/m).slice(1)
  const parts = sections.map((section) => {
    const hex = [...section.matchAll(/^Text\d+ = ([\dA-F]+)/gm)].map(([, digits]) => digits)
    return Buffer.from(hex.join(''), 'hex')
  })
  if (/^Coding = 8bit/m.test(backup)) return toDataUrl(parts)
  return parts.map((part) => decode(Buffer.concat([Buffer.from([0xfe, 0xff]), part]))).join('')
}
