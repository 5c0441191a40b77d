import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Webhook. */
export const Page = () => (
  <Frame title="Webhook">
    <Empty icon="webhooks" title="No such webhook">
      It may have been deleted.
    </Empty>
  </Frame>
)
