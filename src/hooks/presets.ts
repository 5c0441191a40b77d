/**
 * What empty fields of a hook mean. `once_key`: bodies with the same one are one event, '' for none;
 * `resolved_when`: `path=value` that says that all is well again.
 */
const preset = (template: string, once_key = '', resolved_when = '') => ({
  template,
  once_key,
  resolved_when,
})

/** A line for each alert of a group. Alertmanager repeats them after a while, and from each of its nodes. */
const ALERTS = preset(
  '{{#each alerts}}{{status}}: {{labels.alertname}}{{#if labels.instance}} {{labels.instance}}{{/if}}' +
    '{{#if annotations.summary}}: {{annotations.summary}}{{/if}}\n{{/each}}',
  '{{#each alerts}}{{fingerprint}} {{status}} {{startsAt}},{{/each}}',
  'status=resolved',
)

/** By name. The console shows them as placeholders. */
export const PRESETS = {
  alertmanager: ALERTS,
  grafana: ALERTS,
  // a test has no heartbeat
  'uptime-kuma': preset(
    '{{msg}}',
    '{{#if heartbeat}}{{heartbeat.monitorID}} {{heartbeat.status}} {{heartbeat.time}}{{/if}}',
    'heartbeat.status=1',
  ),
  'home-assistant': preset('{{#if title}}{{title}}: {{/if}}{{message}}'),
  github: preset(
    '{{#if repository}}{{repository.full_name}}: {{/if}}' +
      '{{#if workflow_run}}{{workflow_run.name}} {{#if workflow_run.conclusion}}{{workflow_run.conclusion}}' +
      '{{else}}{{action}}{{/if}} ({{workflow_run.head_branch}})' +
      '{{else if pull_request}}pull request {{action}}: {{pull_request.title}}' +
      '{{else if issue}}issue {{action}}: {{issue.title}}' +
      '{{else if release}}release {{action}}: {{release.tag_name}}' +
      '{{else if head_commit}}push to {{ref}}: {{head_commit.message}}' +
      '{{else if zen}}{{zen}}{{else}}{{action}} by {{sender.login}}{{/if}}',
    '{{#if workflow_run}}{{workflow_run.id}} {{workflow_run.run_attempt}} {{action}}{{/if}}',
    'workflow_run.conclusion=success',
  ),
  sentry: preset(
    'Sentry {{action}}: {{#if data.event}}{{data.event.title}} {{data.event.web_url}}' +
      '{{else if data.issue}}{{data.issue.title}}{{else}}{{data.description_title}}{{/if}}',
    '{{action}} {{#if data.event}}{{data.event.issue_id}}{{else if data.issue}}{{data.issue.id}}' +
      '{{else}}{{data.metric_alert.id}}{{/if}}',
    'action=resolved',
  ),
  stripe: preset(
    'Stripe: {{type}}{{#if data.object.description}}, {{data.object.description}}{{/if}} ({{data.object.id}})',
    '{{id}}',
  ),
  text: preset('{{text}}'),
  custom: preset(''),
} as const
