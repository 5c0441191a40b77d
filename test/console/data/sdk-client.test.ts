import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type PocketBase from 'pocketbase'

// the code of browsers has types that Node's tests have not
const FILE = '../../../console/src/data/sdk-client.ts'
const { SdkClient }: { SdkClient: typeof PocketBase } = await import(FILE)

const TEXT = '{"message_ids":["m1"]}'

test('a broken answer is not taken for an empty one, and a whole answer arrives unchanged', async () => {
  const server = createServer(({ url }, answer) => {
    answer.writeHead(url === '/none' ? 204 : url === '/refused' ? 400 : 200, {
      'Content-Type': 'application/json',
      ...(url !== '/none' && { 'Content-Length': TEXT.length }),
    })
    if (url === '/none') answer.end()
    else if (url === '/broken') answer.write(TEXT.slice(0, 9), () => answer.destroy())
    else answer.end(TEXT)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const client = new SdkClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const send = (path: string) => client.send(path, { method: 'POST' })
    await expect(send('/broken')).rejects.toMatchObject({
      status: 0,
      originalError: expect.any(TypeError),
    })
    expect(await send('/whole')).toEqual({ message_ids: ['m1'] })
    expect(await send('/none')).toEqual({})
    await expect(send('/refused')).rejects.toMatchObject({
      status: 400,
      response: { message_ids: ['m1'] },
    })
  } finally {
    server.close()
  }
})
