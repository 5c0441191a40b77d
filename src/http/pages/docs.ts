import { Hono } from 'hono'
import { type DescribedRoutes, describedCollections, openApiDocument } from '../../openapi/document.ts'
import type { Env, Services } from '../context.ts'
import { sendTagged, type Tagged, tagged } from './tagged.ts'

/** `/api/openapi.json`: the API description, made at the first request. */
export function docsRoutes({ config, extensions }: Services, described: readonly DescribedRoutes[]) {
  let description: Tagged | undefined
  const make = () => {
    const subject = { url: config.publicUrl, collections: describedCollections(), extensions, described }
    return tagged(JSON.stringify(openApiDocument(subject)))
  }
  return new Hono<Env>().get('/api/openapi.json', (c) => {
    description ??= make()
    return sendTagged(c, description, { 'content-type': 'application/json', 'cache-control': 'no-cache' })
  })
}
