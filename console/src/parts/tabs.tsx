import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

/** Tabs, switched by arrow keys, too. `tabs`: pairs of id and words; `children`: the chosen tab's content. */
export function Tabs<K extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  children,
}: {
  label: string
  tabs: readonly (readonly [id: K, words: ComponentChildren])[]
  chosen: K
  onChoose: (id: K) => void
  children: ComponentChildren
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const step = (by: number) => {
    const at = tabs.findIndex(([each]) => each === chosen)
    const next = (at + by + tabs.length) % tabs.length
    onChoose(tabs[next]![0])
    ;(list.current?.children[next] as HTMLElement | undefined)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map(([each, words]) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`${id}-${each}`}
            aria-selected={each === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={each === chosen ? 0 : -1}
            onClick={() => onChoose(each)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowRight') step(1)
              if (event.key === 'ArrowLeft') step(-1)
            }}
          >
            {words}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  )
}
