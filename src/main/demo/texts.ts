import { setTimeout as sleep } from 'node:timers/promises'
import {
  DEMO_CONTACTS,
  DEMO_PATIENCE_MS,
  type DemoApi,
  type DemoData,
  type DemoPhone,
  findFirstRecord,
  requestApi,
  watchMessages,
} from './demo-data.ts'
import { printDetail, printStep } from './print-demo.ts'

// The texts that the demo sends and receives before your eyes. A later run finds them, and sends none.

const OPEN = 'We are open on Sunday from 10 to 2.'
const COMING = 'I will be there!'
const [ANN, BEN] = DEMO_CONTACTS

const findDemoText = ({ user }: DemoData, body: string) =>
  findFirstRecord<Record<'id' | 'from' | 'body', string>>(user, 'sms_messages', `body = "${body}"`)

async function sendAndWatch(
  desk: DemoData,
  phones: readonly DemoPhone[],
  path: string,
  body: object,
  names: readonly string[],
): Promise<void> {
  const sender: DemoApi = { url: desk.user.url, credentials: { 'x-api-key': desk.key } }
  const sent = await requestApi<{ message_ids: string[] }>(sender, 'POST', path, body)
  for (const name of names) printDetail(`${name.padEnd(12)} accepted`)
  if (!(await watchMessages(desk.user, sent.message_ids, phones, DEMO_PATIENCE_MS, printDetail)))
    printDetail('Some are not finished yet; the server continues.')
}

async function sendGreetings(desk: DemoData, phones: readonly DemoPhone[]): Promise<void> {
  printStep(`POST /api/sms/send to ${ANN.name} and ${BEN.name}:`)
  const greeting = { recipients: [ANN.phone, BEN.phone], body: OPEN }
  await sendAndWatch(desk, phones, '/api/sms/send', greeting, [ANN.name, BEN.name])
}

async function inviteGroup(desk: DemoData, phones: readonly DemoPhone[]): Promise<void> {
  printStep('POST /api/sms/send-template to the group Regulars, each with their own text:')
  const workshop = {
    recipients: [],
    group_ids: [desk.group],
    template_id: desk.template,
    variables: { time: '8 pm' },
  }
  const names = DEMO_CONTACTS.map(({ name }) => name)
  await sendAndWatch(desk, phones, '/api/sms/send-template', workshop, names)
}

async function receiveReply(desk: DemoData, [phone]: readonly DemoPhone[]): Promise<void> {
  phone!.simulator.receive({ from: ANN.phone, body: COMING, sim: 0 })
  printStep(`${ANN.name} texts back to ${phone!.name}; the text becomes a record like the others:`)
  for (
    const end = performance.now() + DEMO_PATIENCE_MS;
    performance.now() < end;
    await sleep(100)
  ) {
    const found = await findDemoText(desk, COMING)
    if (found) return printDetail(`${found.from}: ${found.body}`)
  }
  printDetail('The text has not arrived yet.')
}

/** Each step, with a text that it stores. */
const STEPS = [
  [OPEN, sendGreetings],
  [`Hi ${ANN.name}, the repair workshop begins at 8 pm.`, inviteGroup],
  [COMING, receiveReply],
] as const

/** Sends and receives texts, but none that an earlier run has stored. */
export async function showTexts(desk: DemoData, phones: readonly DemoPhone[]): Promise<void> {
  let stored = 0
  for (const [text, show] of STEPS) {
    if (await findDemoText(desk, text)) stored++
    else await show(desk, phones)
  }
  if (stored > 0)
    printStep('The texts of an earlier run are in the console. They are not sent again.')
}
