import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../pages.ts'
import { Button } from '../parts/form/button.tsx'
import { Empty } from '../parts/list/empty.tsx'
import { Loading } from '../parts/wait.tsx'

/**
 * A page whose file is loaded when it is first shown. The focus goes to its title, unless the page took it.
 */
export function Late({
  load,
  ...props
}: PageProps & { load: () => Promise<{ Page: ComponentType<PageProps> }> }) {
  const [loaded, setLoaded] = useState<{ Page: ComponentType<PageProps> } | 'failed'>()
  useEffect(() => {
    load().then(setLoaded, () => setLoaded('failed'))
  }, [load])
  useEffect(() => {
    if (!loaded || document.activeElement !== document.body) return
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [loaded])
  if (loaded === 'failed') return <Failed />
  return loaded ? <loaded.Page {...props} /> : <Loading />
}

/** The server was upgraded meanwhile, or is away. */
const Failed = () => (
  <Empty
    icon="warning"
    title="This page could not be loaded"
    action={
      <Button kind="primary" icon="again" onClick={() => location.reload()}>
        Load again
      </Button>
    }
  >
    The server may have a new version, or it cannot be reached.
  </Empty>
)
