import { createServer } from 'node:http'
import sharp from 'sharp'
import { listenLocally } from './services/listen.ts'

/** A square JPEG of noise, which can hardly be made smaller without fewer pixels. */
export const makePicture = (side: number): Promise<Buffer> =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: 'red',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg()
    .toBuffer()

/** A server that has one picture, at any path but `/missing.jpg`. `asked`: the paths that were asked for. */
export async function servePicture(picture: Buffer) {
  const asked: string[] = []
  const server = createServer(({ url = '' }, res) => {
    asked.push(url)
    res.writeHead(url === '/missing.jpg' ? 404 : 200, { 'content-type': 'image/jpeg' }).end(picture)
  })
  return { ...(await listenLocally(server)), asked }
}
