import { printFirstText, printIfPresent } from './template-pieces.ts'

const printBranch = (path: string) => printIfPresent(path, ' (', ')')
const printNumbered = (path: string) => `#{{${path}.number}} {{${path}.title}}`

const WHERE = printFirstText({
  repository: '{{repository.full_name}}: ',
  organization: '{{organization.login}}: ',
  'installation.account': '{{installation.account.login}}: ',
})

const ALERT = printFirstText(
  {
    'alert.rule':
      '{{#if alert.rule.description}}{{alert.rule.description}}{{else}}{{alert.rule.id}}{{/if}}',
    'alert.security_advisory': `{{alert.security_advisory.summary}}${printIfPresent('alert.security_advisory.severity', ', ')}`,
    'alert.secret_type': '{{alert.secret_type}}',
    'alert.affected_package_name': '{{alert.affected_package_name}}',
  },
  'of security',
)

/**
 * Texts by field. The first field that the body has decides; most bodies have several, so the order matters.
 */
const EVENTS = printFirstText(
  {
    zen: 'ping: {{zen}}',
    alert: `alert {{action}}: ${ALERT}${printIfPresent('alert.severity', ', ')}${printIfPresent('alert.rule.severity', ', ')}`,
    review: `review of ${printNumbered('pull_request')}: {{review.state}}${printIfPresent('review.body', ', ')}`,
    thread: `review of ${printNumbered('pull_request')}: thread {{action}}`,
    'comment.body': `comment {{action}} ${printFirstText(
      {
        pull_request: `at ${printNumbered('pull_request')}`,
        issue: `at ${printNumbered('issue')}`,
        discussion: `at ${printNumbered('discussion')}`,
      },
      'at a commit',
    )}: {{comment.body}}`,
    pull_request: `pull request {{action}}{{#if pull_request.merged}} (merged){{/if}}: ${printNumbered('pull_request')}`,
    issue: `issue {{action}}: ${printNumbered('issue')}`,
    discussion: `discussion {{action}}: ${printNumbered('discussion')}`,
    release: 'release {{action}}: {{release.tag_name}}',
    'commit.sha': `{{context}}: {{state}}${printIfPresent('description', ', ')}`,
    head_commit: 'push to {{ref}}: {{head_commit.message}}',
    deleted: '{{ref}} deleted',
    master_branch: '{{ref_type}} {{ref}} created',
    ref_type: '{{ref_type}} {{ref}} deleted',
    workflow: '{{workflow}} started',
    forkee: 'forked to {{forkee.full_name}}',
    pages: 'wiki:{{#each pages}} {{action}} {{title}}{{/each}}',
    build: `pages {{build.status}}${printIfPresent('build.error.message', ': ')}`,
    security_advisory: 'advisory {{action}}: {{security_advisory.summary}}',
    milestone: 'milestone {{action}}: {{milestone.title}}',
    label: 'label {{action}}: {{label.name}}',
    package: 'package {{action}}: {{package.name}}',
    project_card: `card {{action}}${printIfPresent('project_card.note', ': ')}`,
    project_column: 'column {{action}}: {{project_column.name}}',
    project: 'project {{action}}: {{project.name}}',
    projects_v2_item: 'item {{action}} in a project: {{projects_v2_item.content_type}}',
    merge_group: `merge group {{action}}${printBranch('merge_group.head_ref')}`,
    rule: 'branch protection {{action}}: {{rule.name}}',
    key: 'deploy key {{action}}: {{key.title}}',
    client_payload: '{{action}}',
    repositories: 'app {{action}}:{{#each repositories}} {{full_name}}{{/each}}',
    repository_selection:
      'app {{action}}:{{#each repositories_added}} {{full_name}}{{/each}}' +
      '{{#each repositories_removed}} {{full_name}}{{/each}}',
    'installation.account': 'app {{action}} by {{sender.login}}',
    marketplace_purchase:
      'marketplace {{action}}: {{marketplace_purchase.account.login}}, {{marketplace_purchase.plan.name}}',
    sponsorship: 'sponsorship {{action}}: {{sponsorship.sponsor.login}}, {{sponsorship.tier.name}}',
    scope: '{{member.login}} {{action}} in team {{team.name}}',
    member: 'member {{action}}: {{member.login}}',
    'membership.user': '{{action}}: {{membership.user.login}}',
    invitation: `{{action}}${printIfPresent('invitation.login', ': ')}`,
    blocked_user: '{{action}}: {{blocked_user.login}}',
    team: `team ${printFirstText({ action: '{{action}}' }, 'added')}: {{team.name}}`,
    starred_at: 'star {{action}} by {{sender.login}}',
    hook: 'webhook {{action}}',
    status: 'import {{status}}',
  },
  // a star that was taken back has the key `starred_at` without a value
  `{{#each this}}{{#unless this}}{{@key}} {{/unless}}{{/each}}${printFirstText({ action: '{{action}}' }, 'made public')}${printIfPresent('sender.login', ' by ')}`,
)

/** A run (workflow, job or check) sends one text when it has ended, not one for each of its three states. */
const printConclusion = (path: string, text: string) => ({
  [path]: `{{#if ${path}.conclusion}}{{repository.full_name}}: ${text}{{/if}}`,
})

/** The text of a GitHub event. Its fields show which event it is: its name is only in a header. */
export const GITHUB_TEXT = printFirstText(
  {
    ...printConclusion(
      'workflow_job',
      `{{workflow_job.name}} {{workflow_job.conclusion}}${printBranch('workflow_job.head_branch')}`,
    ),
    // checked before `workflow_run`: bodies of deployments contain that field, too
    deployment_status:
      `${WHERE}deployment to {{deployment_status.environment}}: {{deployment_status.state}}` +
      printIfPresent('deployment_status.description', ', '),
    deployment: `${WHERE}deployment to {{deployment.environment}} ${printIfPresent('action')}${printBranch('deployment.ref')}`,
    workflow_job_run: `${WHERE}deployment to {{environment}}: review {{action}}`,
    ...printConclusion(
      'workflow_run',
      `${printIfPresent('workflow_run.name', '', ' ')}{{workflow_run.conclusion}}${printBranch('workflow_run.head_branch')}`,
    ),
    ...printConclusion(
      'check_run',
      `{{check_run.name}} {{check_run.conclusion}}${printBranch('check_run.check_suite.head_branch')}` +
        printIfPresent('check_run.output.title', ': '),
    ),
    ...printConclusion(
      'check_suite',
      `${printIfPresent('check_suite.app.name', '', ' ')}{{check_suite.conclusion}}${printBranch('check_suite.head_branch')}`,
    ),
  },
  WHERE + EVENTS,
)

const makeOnceKey = (path: string) => ({
  [path]: `{{${path}.id}}${printIfPresent(`${path}.run_attempt`, ' ')}${printIfPresent(`${path}.conclusion`, ' ')}`,
})
export const GITHUB_ONCE = printFirstText({
  ...makeOnceKey('workflow_job'),
  ...makeOnceKey('deployment_status'),
  deployment: '{{deployment.id}}',
  workflow_job_run: '',
  ...makeOnceKey('workflow_run'),
  ...makeOnceKey('check_run'),
  ...makeOnceKey('check_suite'),
})

export const GITHUB_RESOLVED = [
  ...['workflow_run', 'workflow_job', 'check_run', 'check_suite'].map(
    (path) => `${path}.conclusion`,
  ),
  'deployment_status.state',
  'state',
]
  .map((path) => `${path}=success`)
  .join(';')
