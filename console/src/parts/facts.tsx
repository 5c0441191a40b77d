import type { ComponentChildren } from 'preact'

export type Fact = readonly [title: string, value: ComponentChildren]

/** Facts with their titles, one per line; with `figures` each in a box. Leaves out entries that are false. */
export const Facts = ({
  class: look = 'facts',
  facts,
}: {
  class?: 'facts' | 'figures' | 'copied-settings'
  facts: readonly (Fact | false)[]
}) => (
  <dl class={look}>
    {facts.map(
      (fact) =>
        fact && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
)
