import type PocketBase from 'pocketbase'
import type { RecordModel } from 'pocketbase'
import type { BrowserFixture } from '../support/browser-fixture.ts'
import { type Phone, pairPhone } from '../support/phone.ts'
import { type Example, PEOPLE } from './examples.ts'

const [ANNA, BEN, CHIARA, DAVID] = PEOPLE.map(([, phone]) => phone)

/** A shop with contacts, a template, a phone, and texts in both directions. */
export async function furnish({ ann, url }: BrowserFixture, example: Example): Promise<Phone> {
  const user = await ann()
  const id = user.authStore.record!.id
  const groups: RecordModel[] = []
  for (const name of example.groups)
    groups.push(await user.collection('contact_groups').create({ user: id, name }))
  for (const [at, [name, number]] of PEOPLE.entries())
    await user.collection('contacts').create({
      user: id,
      name,
      phone: number,
      data: { [example.field]: example.cities[at] },
      groups: groups.filter((_, group) => (at + group) % 3 !== 0).map((group) => group.id),
    })
  const { name, body } = example.template
  await user.collection('sms_templates').create({ user: id, name, body })
  await user.collection('users').update(id, { country: 'DE', time_zone: 'Europe/Berlin' })
  const phone = await pairPhone(url, user, example.phone)
  await exchange(user, phone, example)
  return phone
}

async function exchange(
  user: PocketBase,
  phone: Phone,
  { outgoing, incoming }: Example,
): Promise<void> {
  const send = (to: readonly (string | undefined)[], body: string) =>
    user.send('/api/sms/send', { method: 'POST', body: { recipients: to, body } })
  await send([ANNA, BEN, CHIARA, DAVID], outgoing.first)
  for (const task of await phone.claim()) {
    await phone.report(task, 'sent')
    if (task.to === DAVID) await phone.report(task, 'failed', { error_message: outgoing.fault })
    else await phone.report(task, 'delivered')
  }
  await phone.hear(BEN!, incoming.ben)
  await phone.hear(CHIARA!, incoming.chiara)
  await phone.hear(ANNA!, incoming.anna)
  await send([ANNA], outgoing.second)
  for (const task of await phone.claim()) {
    await phone.report(task, 'sent')
    await phone.report(task, 'delivered')
  }
  await phone.hear(ANNA!, incoming.last)
}
