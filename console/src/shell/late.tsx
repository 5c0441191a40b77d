import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { askServerHealth, isOnline } from '../data/connection/connection.ts'
import { loadPageTexts } from '../language/catalogue.ts'
import { t } from '../language/words.ts'
import { Button } from '../parts/form/form.tsx'
import { Empty } from '../parts/list/empty.tsx'
import { focusTitle, Loading } from '../parts/page.tsx'
import type { PageProps } from '../router.ts'

/**
 * Whether the window has shown its first page. What the page itself does not need is requested only then:
 * HTTP/1.1 has six connections, and on a slow one each request in front of the page's costs a round trip.
 */
export const isPageShown = signal(false)

/** Loads and shows a page. Then focuses the title, unless the page itself has set the focus. */
export function Late({
  load,
  ...props
}: PageProps & { load: () => Promise<{ Page: ComponentType<PageProps> }> }) {
  const [loaded, setLoaded] = useState<{ Page: ComponentType<PageProps> } | 'failed'>()
  useEffect(() => {
    loadPageTexts()
      .then(load)
      .then(setLoaded, () => setLoaded('failed'))
  }, [load])
  useEffect(() => {
    if (!loaded) return
    isPageShown.value = true
    focusTitle()
  }, [loaded])
  if (loaded === 'failed') return <Failed />
  return loaded ? <loaded.Page {...props} /> : <Loading />
}

/** The shortest time between two automatic reloads when a page cannot be loaded. */
const RELOAD_MS = 30_000
const RELOADED = 'pocketsms.reloaded'

/** Shown if a page's code cannot be loaded, as after an upgrade. Reloads when the server answers. */
function Failed() {
  useEffect(() => void reloadIfWell(), [isOnline.value])
  return (
    <Empty
      icon="warning"
      title={t('This page could not be loaded')}
      action={
        <Button kind="primary" icon="again" onClick={() => location.reload()}>
          {t('Try again')}
        </Button>
      }
    >
      {t(
        'The server cannot be reached, or it has a new version. The page loads by itself when the server answers.',
      )}
    </Empty>
  )
}

async function reloadIfWell(): Promise<void> {
  const isSoon = Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_MS
  if (isSoon || !(await askServerHealth())) return
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
}
