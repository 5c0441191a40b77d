import { useRef, useState } from 'preact/hooks'
import { useRecord } from '../../data/use/use-record.ts'
import { HOOK_TOOLS, type Hook } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { Missing } from '../../parts/list/missing.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import { Address } from './address.tsx'
import { Calls } from './calls.tsx'
import { sampleOf } from './samples.ts'
import { Settings, type Unsaved } from './settings.tsx'
import { Try } from './try.tsx'

/** One hook: address, settings, trial and last calls. */
export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Hook>('hooks', id)
  const { record: hook } = read
  if (!hook)
    return (
      <Missing
        {...{ read, icon: 'hooks', title: t('Hook'), gone: t('There is no such hook') }}
        all={[to('/hooks'), t('All hooks')]}
      />
    )
  const tool = HOOK_TOOLS[hook.preset].name
  return (
    <Frame
      title={hook.name}
      text={hook.name !== tool && tool}
      back={{ href: to('/hooks'), words: t('Hooks') }}
    >
      <Parts hook={hook} />
    </Frame>
  )
}

function Parts({ hook }: { hook: Hook }) {
  const [unsaved, setUnsaved] = useState<Unsaved>({ hook, isChanged: false })
  const [chosen, setChosen] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  const choose = (body: string) => {
    setChosen(body)
    area.current?.focus()
  }
  return (
    <>
      <Address hook={hook} />
      <div class="columns">
        <Settings hook={hook} onTyped={setUnsaved} />
        <Try
          hook={hook}
          unsaved={unsaved}
          body={chosen ?? sampleOf(unsaved.hook.preset)}
          onBody={setChosen}
          area={area}
        />
      </div>
      <Calls hook={hook} onChoose={choose} />
    </>
  )
}
