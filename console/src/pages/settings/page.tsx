import { useSettings } from '../../data/settings.ts'
import { t } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Loading } from '../../parts/wait.tsx'
import { Limits } from './limits.tsx'
import { Mail } from './mail.tsx'
import { Naming } from './naming.tsx'
import { ReverseProxy } from './proxy.tsx'
import { SuperuserPlaces } from './superuser-places.tsx'

/** What superusers may set while the server runs. Each card is saved by itself. */
export function Page() {
  const { value: settings, fault, reload } = useSettings()
  return (
    <Frame
      title={t('Settings')}
      text={t('They count from the moment they are saved, on all servers of this database.')}
    >
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      {!settings && !fault && <Loading />}
      {settings && (
        <>
          <Naming settings={settings} />
          <Mail settings={settings} onSaved={reload} />
          <div class="columns">
            <Limits settings={settings} />
            <ReverseProxy settings={settings} />
          </div>
          <SuperuserPlaces settings={settings} />
        </>
      )}
    </Frame>
  )
}
