import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Config } from '../../platform/config.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { makeAccountSender } from '../base/make-sender.ts'
import { requirePermit } from '../base/permissions.ts'
import { loadAllRecipients } from '../messages/send/load-all-recipients.ts'
import { isOwnDeviceOrLine } from '../messages/send/prepare-offer.ts'
import { requireReach } from '../messages/send/sending-permission.ts'
import { composeHookText } from './compose-hook-text.ts'
import {
  HOOK_TEXTS,
  type HookCall,
  listOutcomeTexts,
  OUTCOMES,
  toRefusedCall,
} from './hook-call-outcome.ts'
import { listPictures } from './hook-pictures.ts'
import type { HookSettings } from './hook-settings.ts'
import { readHookBody } from './read-hook-body.ts'

export const HOOK_PREVIEW = z
  .object({
    outcome: OUTCOMES,
    error: z.string().describe('Why it would be refused; else empty.'),
    texts: HOOK_TEXTS.describe('The texts to the first 20 recipients.'),
    pictures: z
      .array(z.string())
      .describe('What the body has at `pictures_from`, three at most. Nothing is fetched.'),
  })
  .meta({ id: 'HookPreview' })

/** The texts that a hook with these fields would send for a body. The hook need not exist. Stores nothing. */
export async function previewHook(
  store: Store,
  { maxRecipients }: Config,
  user: string,
  hook: HookSettings,
  raw: string,
): Promise<z.output<typeof HOOK_PREVIEW>> {
  const body = readHookBody(raw)
  const preview = async (): Promise<HookCall> => {
    const composed = await composeHookText(store, user, hook, body)
    if (composed.outcome !== 'sent') return composed
    if (hook.line && !(await isOwnDeviceOrLine(store, 'lines', user, hook.line)))
      throw gatewayRefusal('line_not_found')
    const phones = await loadAllRecipients(store, user, composed.send, maxRecipients)
    await requireReach(store.db, requirePermit(makeAccountSender(user, user), 'preview'), phones)
    return { outcome: 'sent', texts: listOutcomeTexts(phones, composed.text) }
  }
  const { outcome, refusal, texts = [] } = await preview().catch(toRefusedCall)
  const pictures = outcome === 'sent' ? [...listPictures(hook, body)] : []
  return { outcome, error: refusal?.message ?? '', texts, pictures }
}
