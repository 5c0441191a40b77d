import { createServer } from 'node:http'
import { PHOTOS } from '../payloads/files/photos.ts'
import { listenLocally } from './services/listen.ts'

/** The bytes of a file as a common phone or program writes it. */
export const makePhoto = (name: keyof typeof PHOTOS): Promise<Buffer> => PHOTOS[name].make()

/** A server that has one picture, at any path but `/missing.jpg`. `asked`: the paths that were asked for. */
export async function servePicture(picture: Buffer) {
  const asked: string[] = []
  const server = createServer(({ url = '' }, res) => {
    asked.push(url)
    res.writeHead(url === '/missing.jpg' ? 404 : 200, { 'content-type': 'image/jpeg' }).end(picture)
  })
  return { ...(await listenLocally(server)), asked }
}
