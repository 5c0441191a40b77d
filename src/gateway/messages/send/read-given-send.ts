import type { Store } from '../../../engine/collections/catalog.ts'
import type { Upload } from '../../../engine/files/upload.ts'
import type { Config } from '../../../platform/config.ts'
import { readRecipients } from '../../base/read-numbers.ts'
import type { ReadySend } from './accept-send.ts'
import { markAddresses } from './given-files.ts'
import { type AskedMedia, type MediaConfig, makeMediaLoad } from './read-media.ts'
import { makeSubjectError, readSend } from './read-send-body.ts'
import type { SEND, TEMPLATE_SEND } from './send-body-schema.ts'
import { addTemplateFiles } from './template-files.ts'

/** A send in the fields of `POST /api/sms/send` or `send-template`. */
export interface GivenSend {
  readonly schema: typeof SEND | typeof TEMPLATE_SEND
  readonly fields: unknown
  /** How numbers may be written: in E.164 alone, or in any notation. */
  readonly notation: 'e164' | 'any'
  readonly uploads?: readonly Upload[]
  /** Whose memory counts the files. */
  readonly request: Pick<AskedMedia, 'memory'>
}

/** Reads a send with its numbers in E.164. Loads no files. Throws 400 that names the first wrong field. */
export async function readGivenSend(
  store: Store,
  user: string,
  config: MediaConfig & Pick<Config, 'maxRecipients'>,
  { schema, fields, notation, uploads = [], request }: GivenSend,
): Promise<ReadySend> {
  const read = readSend(schema, fields, new Date(), uploads.length)
  const { attachments: _, orLink: __, subject, ...body } = read
  const recipients =
    notation === 'e164'
      ? body.recipients
      : await readRecipients(store, user, body.recipients, config.maxRecipients)
  const send = { ...body, recipients }
  const { attachments, orLink } = await addTemplateFiles(
    store,
    user,
    body.content,
    read,
    uploads.length,
  )
  if (subject !== '' && attachments.length + uploads.length === 0) throw makeSubjectError()
  const asked = { subject, named: attachments, uploads, orLink }
  const load = makeMediaLoad(store, user, config, request, asked)
  if (!load) return { body: send }
  const named = uploads.length === 0 ? markAddresses(subject, attachments) : undefined
  return { body: send, files: { load, named } }
}
