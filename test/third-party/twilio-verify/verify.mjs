// Plays the life of verifications with Twilio's library for Node, and prints what came of each step.
import { createRequire } from 'node:module'

const [gateway, helper, sid, token, library] = process.argv.slice(2)
const twilio = createRequire(import.meta.url)(library)
const inner = new twilio.RequestClient()
const request = (options) =>
  inner.request({ ...options, uri: options.uri.replace('https://verify.twilio.com', gateway) })
const { services } = twilio(sid, token, { httpClient: { request } }).verify.v2

const steps = []
const step = async (work) =>
  steps.push(
    await work.then(
      (said) => said,
      ({ status, code }) => `${status} ${code}`,
    ),
  )
const ask = async (path) => (await fetch(`${helper}/${path}`)).text()

const shop = await services.create({ friendlyName: 'Node', codeLength: 6 })
const { verifications, verificationChecks } = services(shop.sid)
const start = (to) => verifications.create({ to, channel: 'sms' })
const check = (to, code) => verificationChecks.create({ to, code })
const statusOf = (work) => work.then(({ status }) => status)

const [right, late, gone, many] = [1, 2, 3, 4].map((i) => `+4915111${library.length}000${i}`)
await step(statusOf(start(right)))
const code = await ask('code')
await step(statusOf(check(right, '000')))
await step(check(right, code).then(({ status, valid }) => `${status} ${valid}`))
await step(statusOf(check(right, code)))
await step(statusOf(start(late)))
await ask('expire')
await step(statusOf(check(late, await ask('code'))))
const canceled = await start(gone)
await step(statusOf(verifications(canceled.sid).fetch()))
await step(statusOf(verifications(canceled.sid).update({ status: 'canceled' })))
await step(statusOf(check(gone, '000')))
await start(many)
for (let i = 0; i < 6; i++) await step(statusOf(check(many, '000')))
await step(statusOf(start('+881612345678')))
await step(statusOf(start('0151')))
await step(statusOf(services(`VA${'0'.repeat(32)}`).fetch()))
await step(
  services(shop.sid)
    .update({ friendlyName: 'Node 2' })
    .then((one) => one.friendlyName),
)
await step(
  services.list({ pageSize: 1 }).then((all) => String(all.some((one) => one.sid === shop.sid))),
)
await step(services(shop.sid).remove().then(String))
console.log(JSON.stringify(steps))
