import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../icon.tsx'

/** Shown when there is nothing to show. `children`: a sentence on what to do; `action`: a button for it. */
export const Empty = ({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName
  title: string
  children: ComponentChildren
  action?: ComponentChildren
}) => (
  <section class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={26} />
    </span>
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </section>
)
