/** The cache in which the service worker keeps the files that another app has shared with the console. */
const SHARED = 'pocketsms.shared'

/** The files that were shared last, until others are, or the person signs out. */
export async function loadSharedFiles(): Promise<readonly File[]> {
  const shared = await caches.open(SHARED)
  return Promise.all(
    (await shared.keys()).map(async (request) => {
      const contents = await (await shared.match(request))!.blob()
      const name = decodeURIComponent(new URL(request.url).pathname.replace(/^.*\//, ''))
      return new File([contents], name, { type: contents.type })
    }),
  )
}

export const forgetSharedFiles = (): void => void globalThis.caches?.delete(SHARED)
