import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const { POCKETSMS_URL, POCKETSMS_KEY, WEBHOOK_SECRET, PORT } = process.env
// with an empty secret everybody could sign
if (!/^whsec_./.test(WEBHOOK_SECRET)) throw new Error('WEBHOOK_SECRET is not set')
const webhook = new Webhook(WEBHOOK_SECRET)
const orders = new Map() // in your shop: a table

const read = async (request) => Buffer.concat(await Array.fromAsync(request))
const answer = (response, status, body = {}) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Stores an order and sends its text. The server sends one text for a client_ref, however often you ask. */
async function takeOrder(request, response) {
  const { id, phone } = JSON.parse(await read(request))
  orders.set(id, { phone, state: 'ordered', text: 'unsent' })
  const body = `Thank you for order ${id}. Answer CANCEL to cancel it.`
  const sent = await fetch(`${POCKETSMS_URL}/api/sms/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': POCKETSMS_KEY },
    body: JSON.stringify({ recipients: [phone], body, client_ref: id }),
  })
  answer(response, sent.ok ? 201 : sent.status, await sent.json())
}

/** Notes the status of an order's text, and cancels the orders of a phone that answers CANCEL. */
async function takeEvent(request, response) {
  const { type, data } = webhook.verify(await read(request), request.headers)
  if (type === 'message.received' && /^\s*cancel\b/i.test(data.body))
    for (const order of orders.values()) if (order.phone === data.from) order.state = 'canceled'
  if (orders.has(data.client_ref)) orders.get(data.client_ref).text = data.status
  answer(response, 200)
}

const routes = { '/orders': takeOrder, '/hooks/sms': takeEvent }
createServer((request, response) => {
  if (request.method === 'GET') return answer(response, 200, Object.fromEntries(orders))
  const route = routes[request.url] ?? ((_, response) => answer(response, 404))
  route(request, response).catch(() => answer(response, 400))
}).listen(PORT ?? 3000)
