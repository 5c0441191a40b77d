import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { Semaphore } from '../../tools/semaphore.ts'
import type { SendBody } from './body.ts'
import { checkLength, TEXT, writeTexts } from './content.ts'
import { allRecipients, checkCount, checkPhones, optedOut, uniquePhones } from './recipients.ts'

/**
 * What a send would send. The first text's body, encoding, units and segments stand for all where one is
 * asked for.
 */
export type Preview = Readonly<z.output<typeof PREVIEW>>
export const PREVIEW = TEXT.omit({ to: true })
  .extend({
    recipients_count: z.int().min(0),
    total_segments: z
      .int()
      .min(0)
      .meta({ description: 'Short messages that all texts take together which would be sent.' }),
    opted_out: z.int().min(0).meta({
      description: 'Recipients who want no texts: their messages would fail at once and cost nothing.',
    }),
    items: z
      .array(
        TEXT.extend({ opted_out: z.boolean().meta({ description: 'Nothing would be sent to them.' }) }).meta({
          id: 'PreviewedText',
        }),
      )
      .meta({ description: 'One for each recipient, in the order of the send.' }),
  })
  .extend({
    missing: z.array(z.string()).optional().meta({
      description: 'Of a draft only: the variables that have no value for one recipient at least.',
    }),
  })
  .meta({ id: 'Preview' })

/** A preview of 1,000 long texts has 4 MB, which keep the event loop busy for 20 ms. Accounts take turns. */
const previews = new Semaphore(1)
const MAX_REST_MS = 100

/** Makes the preview of a user, and what is to be made of it, when the user's turn has come. */
export const previewInTurn = <T>(user: string, work: () => Promise<T>): Promise<T> =>
  previews.runThenRest(work, user, MAX_REST_MS)

/**
 * Writes the texts of a send and stores nothing. Without recipients, a template is shown for nobody: no name,
 * no number. Throws what `send` would, except for device, quota and credentials, and for missing variables
 * of a draft.
 */
export async function previewSend(
  store: Store,
  config: Pick<Config, 'maxRecipients'>,
  user: string,
  body: SendBody & { readonly isDraft: boolean },
): Promise<Preview> {
  const { content, groupIds } = body
  checkPhones(body.recipients)
  if ('body' in content) checkLength(content.body)
  const explicit = uniquePhones(body.recipients)
  checkCount(explicit, config.maxRecipients)
  const phones = await allRecipients(store, user, explicit, groupIds, config.maxRecipients)
  const missing = new Set<string>()
  const note = (name: string) => {
    missing.add(name)
    return `{{${name}}}`
  }
  const whom = phones.length > 0 ? phones : ['']
  const texts = await writeTexts(store, user, content, whom, body.isDraft ? note : undefined)
  const { to: _, ...first } = texts[0]!
  const out = await optedOut(store, user, phones)
  const items = phones.length > 0 ? texts.map((text) => ({ ...text, opted_out: out.has(text.to) })) : []
  const total_segments = items.reduce((sum, { segments, opted_out }) => sum + (opted_out ? 0 : segments), 0)
  return {
    ...first,
    recipients_count: items.length,
    total_segments,
    opted_out: out.size,
    items,
    ...(body.isDraft && { missing: [...missing] }),
  }
}
