import { z } from 'zod'

/** Names separated by dots, such as `messages.0.status`. An answer that is not JSON is the field `text`. */
const PATH = z.string().min(1).max(100)
/** Maximum items of a list: each of the 1,000 events that a call may have is compared with it. */
const MAX_PATHS = 10
const MAX_VALUES = 100

const makePathsSchema = () => z.array(PATH).max(MAX_PATHS)
/** In lower case: carriers change the case of their words, and differ by version. */
const makeValuesSchema = () => z.array(z.string().toLowerCase()).max(MAX_VALUES)

/** A header's name, in lower case. RFC 9110, 5.6.2 */
const HEADER = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, 'must be the name of a header')
  .transform((name) => name.toLowerCase())

/** For each path, its allowed values. All paths must match. */
const CONDITION = z
  .record(PATH, makeValuesSchema())
  .refine((all) => Object.keys(all).length <= MAX_PATHS, `must have at most ${MAX_PATHS} paths`)
export type AnswerCondition = Readonly<Record<string, readonly string[]>>

/**
 * The meaning of a refusal. `final`: the text fails. `unsent`: the text fails here, another device may send
 * it. `busy`: the text was not sent, and is tried again after a pause. `account`: as `busy`, and the
 * carrier's line stops with an alarm. `unknown`: the text may have been sent.
 */
const MEANINGS = z.enum(['sent', 'final', 'unsent', 'busy', 'account', 'unknown'])
export type Meaning = z.output<typeof MEANINGS>

/**
 * Answers of these statuses or codes. The first row that matches counts, before the rules of
 * `read-answer.ts`.
 */
const REFUSAL = z.strictObject({
  status: z.array(z.int()).max(MAX_VALUES).optional(),
  code: makeValuesSchema().optional(),
  means: MEANINGS,
})

/**
 * Parts of a signed text: `body`, `body-md5` (its MD5 in hex), `method`, `url`, `address` (the URL without
 * its query), `path` (the URL without its host), `params` (names and values of a form, sorted),
 * `header:NAME`, or the part itself.
 */
const SIGNED = z
  .array(z.string().transform((part) => (part.startsWith('header:') ? part.toLowerCase() : part)))
  .max(MAX_PATHS)

/** How the carrier signs its calls. `timestamp`: a header with seconds since 1970, at most 5 minutes old. */
const SIGNATURE = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('hmac'),
    hash: z.enum(['sha1', 'sha256', 'sha512']),
    header: HEADER,
    encoding: z.enum(['base64', 'hex']),
    of: SIGNED,
    /** The text that the carrier may sign instead, if its sources disagree. */
    orOf: SIGNED.optional(),
    /** `whsec`: the key is Base64 after `whsec_`. */
    key: z.enum(['text', 'whsec']).default('text'),
    timestamp: HEADER.optional(),
  }),
  z.strictObject({ kind: z.literal('ed25519'), header: HEADER, of: SIGNED, timestamp: HEADER }),
  /** A JSON Web Token (an HMAC) whose claims are the SHA-256 of body and URL, in hex. */
  z.strictObject({
    kind: z.literal('jwt'),
    header: HEADER,
    bodyHash: z.string().optional(),
    urlHash: z.string().optional(),
  }),
])
export type Signature = Readonly<z.output<typeof SIGNATURE>>

const RECEIPT = z.strictObject({
  when: CONDITION.default({}),
  /** A list whose items are receipts. */
  each: PATH.optional(),
  ref: PATH,
  status: PATH,
  delivered: makeValuesSchema(),
  failed: makeValuesSchema(),
  /** Statuses that are not final. Receipts with others are unknown events. */
  pending: makeValuesSchema().default([]),
  error: makePathsSchema().default([]),
  /** Where a text that left by RCS has the value `rcs`, or an address that begins with `rcs:`. */
  channel: makePathsSchema().default([]),
})
export type Receipt = Readonly<z.output<typeof RECEIPT>>

/**
 * Where a text's files are: at `each` a list with an item for each file, where the other paths begin, or
 * fields of the text. `*` in a field's name is replaced by 0, 1, 2, …
 */
const FILES = z.strictObject({
  each: PATH.optional(),
  /** How long the carrier waits while files are fetched. */
  seconds: z.number().min(1).max(10).default(8),
  /** Whether the carrier repeats a call that was answered with 503. */
  repeats: z.boolean().default(true),
  /** Each path that has a value is a file. */
  url: z.union([PATH, makePathsSchema()]),
  name: PATH.optional(),
  /** The name of files without one. */
  called: z.string().max(100).default(''),
  type: PATH.optional(),
  size: PATH.optional(),
  /** Items of `each` for files that the carrier could not keep: they have no address. */
  lost: CONDITION.optional(),
})

const INCOMING = z
  .strictObject({
    when: CONDITION.default({}),
    each: PATH.optional(),
    /** Identifies a text that the carrier repeats. */
    id: PATH.optional(),
    from: PATH,
    /** Our sender. The first path whose value is one of the account counts. */
    to: z.union([PATH, makePathsSchema()]).default([]),
    /** The first path that has a value counts. A call without any, and without files, is not a text. */
    body: z.union([PATH, makePathsSchema()]),
    subject: PATH.optional(),
    /** Names the charset of `body` in a query or form, such as UTF-16BE. Without one it is UTF-8. */
    charset: PATH.optional(),
    files: FILES.optional(),
  })
  .refine(({ files, id }) => !files || id, 'must have id to have files')
export type Incoming = Readonly<z.output<typeof INCOMING>>

/** One form of an event, or several: a carrier's products and versions write the same event differently. */
const makeFormsSchema = <T extends z.ZodType>(form: T) => {
  const list = z.preprocess((given) => [given].flat(), z.array(form).max(MAX_PATHS))
  return (list as unknown as z.ZodType<z.output<T>[], z.input<T> | z.input<T>[]>).prefault([])
}

const SEND = z.strictObject({
  method: z.enum(['POST', 'GET', 'PUT']).default('POST'),
  path: z.string(),
  headers: z.record(HEADER, z.string()).default({}),
  /** JSON, or a form if the content-type says so. Fields whose text is empty are left out. */
  body: z.record(z.string(), z.unknown()).optional(),
  /** Fields of a JSON body that are numbers. */
  numbers: z.array(z.string()).default([]),
})

/**
 * The differences in the request of an MMS. Its templates may also use `subject`, `words` (subject and text),
 * `file` and `type` (address and MIME type of the first file) and, alone in a field, `files` (a list of all
 * files; in a form, the field for each).
 */
const MMS = z.strictObject({
  path: z.string().optional(),
  body: z.record(z.string(), z.unknown()),
  maxFiles: z.int().min(1).max(10).default(10),
  /** Beginnings of the MIME types that it takes; none: any. */
  types: z.array(z.string()).max(MAX_VALUES).default([]),
  /** The template of an entry of `files`. Its templates have `file` and `type` of this file. */
  item: z.unknown().default('{{file}}'),
})
export type MmsForm = Readonly<z.output<typeof MMS>>

/**
 * A carrier's HTTP interface. Templates may use `to`, `from`, `body`, `to_digits`, `from_digits` (without +),
 * `service` (a sender that is a Messaging Service; then `from` is empty), `ref` (names the attempt),
 * `callback` (our address for calls about it), `unicode` (the text needs UCS-2), `user`, `secret`, `basic`
 * (both in Base64), and the names in the setting `values`.
 */
export const PRESET = z.strictObject({
  /** The carrier's address. The setting `url` replaces it. */
  url: z.string().default(''),
  /** Names in the setting `values` that the templates need. */
  needs: z.array(z.string()).default([]),
  /** The carrier's own names of the credentials that it needs, such as `AuthToken` for `secret`. */
  credentials: z
    .strictObject({ user: z.string(), secret: z.string(), webhook_secret: z.string() })
    .partial()
    .prefault({}),
  send: SEND,
  /** Without a form, the carrier sends no MMS. The first that takes all files of an MMS counts. */
  mms: makeFormsSchema(MMS),
  /**
   * A GET that costs nothing and needs the credentials, such as that of the balance. It has the headers of
   * `send`. Without it, only the carrier's host can be tried.
   */
  trial: z.strictObject({ path: z.string().max(500) }).optional(),
  /** Whether the carrier recognizes a repeated text by its `ref`, and sends it once. */
  isIdempotent: z.boolean().default(false),
  answer: z
    .strictObject({
      /** The carrier's id. An accepting answer without it counts as no answer. */
      id: PATH.optional(),
      /** Whether an answer with a status of 2xx accepts the text. */
      accepts: CONDITION.optional(),
      /** Where the code of a refusal is. The first path that has one counts. */
      code: z.union([PATH, makePathsSchema()]).default([]),
      error: makePathsSchema().default([]),
    })
    .prefault({}),
  refusals: z.array(REFUSAL).max(MAX_VALUES).default([]),
  receipt: makeFormsSchema(RECEIPT),
  incoming: makeFormsSchema(INCOMING),
  /** Known events that do not matter. Others that neither `receipt` nor `incoming` reads are unknown. */
  ignored: z.array(CONDITION).max(MAX_PATHS).default([]),
  signature: SIGNATURE.optional(),
})
export type Preset = Readonly<z.output<typeof PRESET>>
/** A preset as its file writes it, without defaults. */
export type PresetData = z.input<typeof PRESET>
