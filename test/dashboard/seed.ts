import PocketBase from 'pocketbase'

const PASSWORD = 'secret-enough'
const TEXTS = ['Your parcel is on its way', 'Your code is 4711', 'See you at noon', 'Closed on Monday']
const CONTACTS = 12

/**
 * Fills a gateway over its API: a user with groups, contacts and a simulated phone, and messages to all
 * contacts.
 */
export async function seed(url: string, email: string, password: string): Promise<void> {
  const root = new PocketBase(url)
  root.autoCancellation(false)
  await root.collection('_superusers').authWithPassword(email, password)
  const values = { email: 'ann@example.com', password: PASSWORD, passwordConfirm: PASSWORD, name: 'Ann' }
  const { id: user } = await root.collection('users').create({ ...values, verified: true })
  const groups: string[] = []
  for (const name of ['customers', 'staff'])
    groups.push((await root.collection('contact_groups').create({ user, name })).id)
  const phones: string[] = []
  for (let i = 0; i < CONTACTS; i++) {
    const phone = `+4477009000${String(i).padStart(2, '0')}`
    const contact = {
      user,
      phone,
      name: `Contact ${i}`,
      groups: [groups[i % 2]],
      data: { city: 'Bath', row: i },
    }
    await root.collection('contacts').create(contact)
    phones.push(phone)
  }
  const ann = new PocketBase(url)
  await ann.collection('users').authWithPassword('ann@example.com', PASSWORD)
  const { code } = await ann.send<{ code: string }>('/api/devices/pairing', { method: 'POST', body: {} })
  await ann.send('/api/devices/pair', {
    method: 'POST',
    body: { code, name: 'Phone', platform: 'simulator' },
  })
  for (const body of TEXTS)
    await ann.send('/api/sms/send', { method: 'POST', body: { recipients: phones, body } })
}
