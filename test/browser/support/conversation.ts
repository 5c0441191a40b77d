import type PocketBase from 'pocketbase'
import type { BrowserFixture } from './browser-fixture.ts'
import { type Phone, pairPhone } from './phone.ts'

export const ZOE = '+4915112345678'

/** Opens the conversation with Zoë, who has sent "Hello" to Ann's desk phone. Ann is signed in. */
export async function openConversation(
  fixture: BrowserFixture,
): Promise<{ ann: PocketBase; phone: Phone }> {
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'Desk phone')
  await phone.hear(ZOE, 'Hello')
  await fixture.signIn()
  await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
  return { ann, phone }
}
