import { z } from 'zod'
import { UserError } from '../errors.ts'
import { parseJson } from '../tools/json.ts'

export const MANIFEST = 'manifest.json'
/** The file format. A change that older versions cannot read must increase the number. */
export const FORMAT = { name: 'pocketsms-backup', version: 1 } as const

const TABLE = z.object({
  name: z.string().min(1),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Checksum of the rows, computed by the database: see transfer/rows.ts. */
  digest: z.string(),
  numbering: z.array(z.object({ column: z.string(), last: z.string().regex(/^\d+$/), called: z.boolean() })),
})

const SCHEMA = z.object({
  format: z.object({ name: z.literal(FORMAT.name), version: z.int().min(1) }),
  version: z.string(),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** The views, in an order in which they can be created. */
  views: z.array(z.object({ name: z.string(), query: z.string() })),
  tables: z.array(TABLE).min(1),
})

export type Manifest = Readonly<z.output<typeof SCHEMA>>
export type TableEntry = Readonly<z.output<typeof TABLE>>

export type BackupSummary = ReturnType<typeof summaryOf>

export const entryName = (table: string): string => `tables/${encodeURIComponent(table)}.jsonl`

export const notABackup = (why: string, cause?: unknown) =>
  new UserError(`The file is not a backup of pocketsms, or it is damaged: ${why}.`, { cause })

/** Reads a manifest. Throws a UserError if it is invalid or written by a newer version. */
export function parseManifest(text: string): Manifest {
  const json = parseJson(text)
  const format = SCHEMA.pick({ format: true }).safeParse(json).data?.format
  if (format && format.version > FORMAT.version)
    throw new UserError('The backup was written by a newer version of pocketsms. Install that version.')
  const { data, error } = SCHEMA.safeParse(json)
  if (!data) {
    const [issue] = error.issues
    throw notABackup(`${issue!.path.join('.') || 'its manifest'}: ${issue!.message}`)
  }
  const twice = data.tables.find(({ name }, i) => data.tables.findIndex((other) => other.name === name) < i)
  if (twice) throw notABackup(`the table ${twice.name} is in it twice`)
  return data
}

export const summaryOf = ({ createdAt, version, tables }: Manifest, bytes: number) => ({
  createdAt,
  version,
  bytes,
  tables: tables.map(({ name, rows }) => ({ name, rows })),
})
