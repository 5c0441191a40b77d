import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../../platform/api-errors.ts'
import { repeatWork } from '../../../platform/tools/repeat-work.ts'
import { DATA_URL } from '../../../portable/data-url.ts'
import type { Driver, DriverEvents, OutgoingText, SendResult } from '../driver-interface.ts'
import { defineDriverKind } from './driver-kind.ts'
import { STDERR } from './log-no-answer.ts'
import { makeOption } from './options.ts'

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
function readInboxFiles(files: readonly string[]): string | undefined {
  const parts = files.map((file) => readFileSync(file))
  if (files[0]?.endsWith('.bin')) return toDataUrl(parts)
  const texts = parts.map(decodeGammuText)
  return BACKUP.test(texts[0] ?? '') ? readBackup(texts[0]!) : texts.join('')
}

const toDataUrl = (parts: readonly Buffer[]) => DATA_URL + Buffer.concat(parts).toString('base64')

/**
 * Decodes UTF-16 if there is a byte order mark (as with `InboxFormat = unicode`), else UTF-8. Until 1.43,
 * gammu-smsd writes more than the text: a zero, and remains of other texts.
 */
function decodeGammuText(bytes: Buffer): string {
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
  return parts
    .map((part) => decodeGammuText(Buffer.concat([Buffer.from([0xfe, 0xff]), part])))
    .join('')
}

const LOOK_MS = 500
/** Maximum texts in the outbox. A few are enough: gammu-smsd sends them one by one. */
const PARALLEL = 5
/** The inbox must be unchanged for this time before it is read: parts of a text are written one by one. */
const STILL_MS = 2_000
/** How long a text may wait in the outbox. Less than the server's default lease of 120 s (LEASE_SECONDS). */
const GIVE_UP_MS = 100_000
const UTF16_MARK = Buffer.from([0xff, 0xfe])
/** Without a date the year is `00`. The sender may be missing. */
const RECEIVED = /^IN(\d{2,4})(\d{2})(\d{2})_(\d{2})(\d{2})(\d{2})_(\d+)_(.*)_(\d+)\.(?:txt|bin)$/

/** Uses gammu-smsd with `Service = files`, `InboxFormat = unicode` (man 7 gammu-smsd-files). */
export function makeGammuDriver(folders: ReturnType<typeof listSpoolFolders>) {
  const waiting = new Map<string, { readonly sinceMs: number; resolve(result: SendResult): void }>()
  /** Received texts that were passed on but not deleted yet, by the name of their first file. */
  const reported = new Set<string>()
  let end = async () => {}

  async function start(events: DriverEvents): Promise<void> {
    for (const folder of Object.values(folders))
      if (!existsSync(folder) || !statSync(folder).isDirectory())
        throw new UserError(
          `${folder} is not a folder. --spool names the folder that holds gammu-smsd's inbox, outbox, sent and error.`,
        )
    end = repeatWork(
      async () => {
        lookForResults()
        await receive(events)
      },
      LOOK_MS,
      STDERR,
    )
  }

  /** Writes the text to the outbox. The file name contains id and attempt: each attempt has its own file. */
  function send({ id, attempt, to, body }: OutgoingText): Promise<SendResult> {
    const name = `OUTC${formatStamp(new Date())}_00_${to}_${id}-${attempt}.txt`
    const { promise, resolve } = Promise.withResolvers<SendResult>()
    try {
      const hidden = join(folders.outbox, `.${name}.new`)
      writeFileSync(hidden, Buffer.concat([UTF16_MARK, Buffer.from(body, 'utf16le')]))
      waiting.set(name, { sinceMs: performance.now(), resolve })
      renameSync(hidden, join(folders.outbox, name))
    } catch (error) {
      waiting.delete(name)
      resolve({ outcome: 'failed', error: (error as Error).message, notSent: true })
    }
    return promise
  }

  function lookForResults(): void {
    for (const [name, { sinceMs, resolve }] of waiting) {
      const result = resultOf(name, performance.now() - sinceMs)
      if (!result) continue
      waiting.delete(name)
      resolve(result)
    }
  }

  /** The result of sending a text; undefined while it waits. After GIVE_UP_MS, its file leaves the outbox. */
  function resultOf(name: string, waitedMs: number): SendResult | undefined {
    const { outbox, sent, error } = folders
    if (existsSync(join(sent, name))) return { outcome: 'sent' }
    if (existsSync(join(error, name)))
      return { outcome: 'failed', error: 'gammu-smsd could not send it', notSent: false }
    if (waitedMs < GIVE_UP_MS) return undefined
    rmSync(join(outbox, name), { force: true })
    return { outcome: 'failed', error: 'gammu-smsd did not send it in time', notSent: false }
  }

  /** Passes received texts on, then deletes their files (`…_00.txt`, `…_01.txt` for a text of two parts). */
  async function receive(events: DriverEvents): Promise<void> {
    const { inbox } = folders
    const names = readdirSync(inbox)
      .filter((name) => RECEIVED.test(name))
      .sort()
    if (names.some((name) => Date.now() - statSync(join(inbox, name)).mtimeMs < STILL_MS)) return
    const troubles: unknown[] = []
    for (const parts of Map.groupBy(names, (name) =>
      name.slice(0, name.lastIndexOf('_')),
    ).values()) {
      try {
        await take(parts, events)
      } catch (error) {
        troubles.push(error) // continue with the others
      }
    }
    if (troubles.length > 0) throw troubles[0]
  }

  async function take(parts: readonly string[], events: DriverEvents): Promise<void> {
    const { inbox } = folders
    const [first = ''] = parts
    if (!reported.has(first)) {
      const [, ...fields] = RECEIVED.exec(first)!
      const body = readInboxFiles(parts.map((name) => join(inbox, name)))
      const from = readSender(fields[7]!)
      if (body !== undefined) await events.received({ from, body, sim: 0 }, parseFileDate(fields))
      reported.add(first)
    }
    for (const name of parts) rmSync(join(inbox, name), { force: true })
    reported.delete(first)
  }

  return { parallel: PARALLEL, start, send, stop: () => end() } satisfies Driver
}

/** Folders of gammu-smsd's files service, as in Debian's example configuration. */
export const listSpoolFolders = (spool: string) => ({
  inbox: join(spool, 'inbox'),
  outbox: join(spool, 'outbox'),
  sent: join(spool, 'sent'),
  error: join(spool, 'error'),
})

/** The date in a file name. gammu-smsd writes local time. */
const parseFileDate = ([year, month, day, hour, minute, second]: readonly string[]) =>
  new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}`)

function formatStamp(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')
}

/** The sender in a file name, where gammu-smsd writes X for the `*` of a network's number. */
const readSender = (name: string) => (/^[\dX#]+$/.test(name) ? name.replaceAll('X', '*') : name)

export const GAMMU = defineDriverKind({
  options: {
    spool: makeOption(
      "gammu: folder with gammu-smsd's inbox, outbox, sent and error",
      'DIR',
      '/var/spool/gammu',
    ),
  },
  version: ['gammu-smsd', '--version'],
  platform: 'modem',
  make: ({ spool }) => makeGammuDriver(listSpoolFolders(spool)),
})
