import { join } from 'node:path'
import { folderOf, GO_RUNTIME, GUZZLE, PROJECT, type ToolName } from './tools.ts'

// For each generator: how its client is made of `../openapi.json` and compiled, and a program that sends a
// text by it, asks until the text is delivered, and prints the record as JSON.

export interface Generator {
  readonly language: string
  readonly name: string
  readonly tools: readonly ToolName[]
  /** Files beside the client, by their names. */
  readonly files: Readonly<Record<string, string>>
  /** Lines of the shell. */
  readonly generate: string
  readonly compile: string
  readonly send: string
  /** Whether the client lacks the calls that the server makes. */
  readonly leavesOutWebhooks?: boolean
}

const JAR = join(folderOf('openapiGenerator'), 'jars', '*')
const JARS = join(folderOf('java'), 'jars', '*')
const PYTHON = join(folderOf('python'), 'bin', 'python')
const own = (name: string) => join(PROJECT, 'node_modules', '.bin', name)
const npm = (name: string) =>
  `"${process.execPath}" "${join(folderOf('npm'), 'node_modules', '.bin', name)}"`
const runJar = (options: string) =>
  `java -cp "${JAR}" org.openapitools.codegen.OpenAPIGenerator generate -q -o client ${options} >/dev/null`

const COMPILER_OPTIONS = {
  strict: true,
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['esnext', 'dom', 'dom.iterable'],
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: [],
}

/** `send` and `read` are expressions for the answer to the send, and the record of the text `id`. */
const makeTypeScript = (
  name: string,
  generate: string,
  { head, send, read }: Readonly<Record<'head' | 'send' | 'read', string>>,
  more: Partial<Generator> = {},
): Generator => ({
  language: 'TypeScript',
  name,
  tools: ['npm'],
  ...more,
  files: {
    ...more.files,
    'program.ts': `declare const process: { env: Record<string, string | undefined> }
${head}
const id = (${send})!.message_ids[0]!
for (;;) {
  const text = (${read})!
  if (text.status === 'delivered' || text.status === 'failed') {
    console.log(JSON.stringify(text))
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 200))
}
`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: COMPILER_OPTIONS,
      files: ['program.ts'],
    }),
  },
  generate,
  compile: `"${own('tsc')}" -p . && "${own('rolldown')}" program.ts --file program.mjs >/dev/null`,
  send: `"${process.execPath}" program.mjs`,
})

const TEXT = `{ recipients: ['+4911111'], body: 'Hi' }`
const AT = 'process.env.URL!'
const HEADERS = `{ 'x-api-key': process.env.KEY! }`

/** Imports each module: Python compiles nothing before. */
const IMPORTS = `import importlib, pkgutil, sys
for module in pkgutil.walk_packages(importlib.import_module(sys.argv[1]).__path__, sys.argv[1] + '.'):
    importlib.import_module(module.name)
`

export const GENERATORS: readonly Generator[] = [
  makeTypeScript(
    'openapi-typescript',
    `${npm('openapi-typescript')} ../openapi.json -o schema.d.ts`,
    {
      head: `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'
const client = createClient<paths>({ baseUrl: ${AT}, headers: ${HEADERS} })`,
      send: `(await client.POST('/api/sms/send', { body: ${TEXT} })).data`,
      read: `(await client.GET('/api/sms/messages/{id}', { params: { path: { id } } })).data`,
    },
  ),
  makeTypeScript('@hey-api/openapi-ts', `${npm('openapi-ts')} -i ../openapi.json -o client`, {
    head: `import { client } from './client/client.gen.ts'
import { readSentText, send } from './client/sdk.gen.ts'
client.setConfig({ baseUrl: ${AT}, headers: ${HEADERS} })`,
    send: `(await send({ body: ${TEXT} })).data`,
    read: '(await readSentText({ path: { id } })).data',
  }),
  makeTypeScript(
    'swagger-typescript-api',
    `${npm('swagger-typescript-api')} generate -p ../openapi.json -o . -n client.ts`,
    {
      head: `import { Api } from './client.ts'
const client = new Api({ baseUrl: ${AT}, baseApiParams: { headers: ${HEADERS} } })`,
      send: `(await client.api.send(${TEXT})).data`,
      read: '(await client.api.readSentText(id)).data',
    },
    { leavesOutWebhooks: true },
  ),
  makeTypeScript(
    'orval',
    npm('orval'),
    {
      head: `import { readSentText, send, type Accepted, type SmsMessagesRecord } from './client.ts'
const headers = ${HEADERS}`,
      send: `(await send(${TEXT}, { headers })).data as Accepted`,
      read: '(await readSentText(id, undefined, { headers })).data as SmsMessagesRecord',
    },
    {
      leavesOutWebhooks: true,
      files: {
        'orval.config.mjs': `const output = { target: 'client.ts', client: 'fetch', baseUrl: process.env.URL }
export default { client: { input: '../openapi.json', output } }
`,
      },
    },
  ),
  {
    language: 'Go',
    name: 'oapi-codegen',
    tools: ['go'],
    files: {
      'go.mod': `module example.com/texts\n\ngo 1.24\n\nrequire ${GO_RUNTIME.replace('@', ' ')}\n`,
      'main.go': `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"example.com/texts/client"
)

func main() {
	withKey := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("KEY"))
		return nil
	})
	sms, err := client.NewClientWithResponses(os.Getenv("URL"), withKey)
	if err != nil {
		panic(err)
	}
	body := "Hi"
	to := []string{"+4911111"}
	sent, err := sms.SendWithResponse(context.Background(), &client.SendParams{}, client.Send{Recipients: &to, Body: &body})
	if err != nil || sent.JSON200 == nil {
		panic(fmt.Sprint(err, string(sent.Body)))
	}
	for {
		text, err := sms.ReadSentTextWithResponse(context.Background(), sent.JSON200.MessageIds[0], nil)
		if err != nil || text.JSON200 == nil {
			panic(fmt.Sprint(err, string(text.Body)))
		}
		if text.JSON200.Status == "delivered" || text.JSON200.Status == "failed" {
			fmt.Println(string(text.Body))
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}
`,
    },
    generate: `mkdir client && "${join(folderOf('go'), 'oapi-codegen')}" -generate types,client -package client -o client/client.go ../openapi.json`,
    compile: 'GOFLAGS=-mod=mod go build -o program .',
    send: './program',
  },
  {
    language: 'Python',
    name: 'openapi-python-client',
    tools: ['python'],
    leavesOutWebhooks: true,
    files: {
      'imports.py': IMPORTS,
      'program.py': `import json, os, time
from pocketsms_client import AuthenticatedClient
from pocketsms_client.api.sending import read_sent_text, send
from pocketsms_client.models import Send

client = AuthenticatedClient(
    base_url=os.environ['URL'], token=os.environ['KEY'], prefix='', auth_header_name='X-API-Key'
)
sent = send.sync(client=client, body=Send(recipients=['+4911111'], body='Hi'))
while (text := read_sent_text.sync(sent.message_ids[0], client=client)).status not in ('delivered', 'failed'):
    time.sleep(0.2)
print(json.dumps(text.to_dict()))
`,
    },
    generate: `PATH="${join(folderOf('python'), 'bin')}:$PATH" "${PYTHON}" -m openapi_python_client generate --path ../openapi.json --output-path pocketsms_client --meta none`,
    compile: `"${PYTHON}" imports.py pocketsms_client`,
    send: `"${PYTHON}" program.py`,
  },
  {
    language: 'Python',
    name: 'OpenAPI Generator',
    tools: ['openapiGenerator', 'python'],
    leavesOutWebhooks: true,
    files: {
      'imports.py': IMPORTS,
      'program.py': `import os, time
import openapi_client as sms

configuration = sms.Configuration(host=os.environ['URL'], api_key={'apiKey': os.environ['KEY']})
with sms.ApiClient(configuration) as client:
    sending = sms.SendingApi(client)
    sent = sending.send(sms.Send(recipients=['+4911111'], body='Hi'))
    while (text := sending.read_sent_text(sent.message_ids[0])).status not in ('delivered', 'failed'):
        time.sleep(0.2)
    print(text.to_json())
`,
    },
    // its handlers of webhooks are no Python
    generate: runJar('-i ../without-webhooks.json -g python'),
    compile: `PYTHONPATH=client "${PYTHON}" imports.py openapi_client`,
    send: `PYTHONPATH=client "${PYTHON}" program.py`,
  },
  {
    language: 'Java',
    name: 'OpenAPI Generator',
    tools: ['openapiGenerator', 'java'],
    files: {
      'Program.java': `import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.SendingApi;
import org.openapitools.client.model.Send;

public class Program {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("URL"));
    client.setRequestInterceptor(request -> request.header("X-API-Key", System.getenv("KEY")));
    SendingApi sending = new SendingApi(client);
    var sent = sending.send(new Send().recipients(List.of("+4911111")).body("Hi"), null);
    while (true) {
      var text = sending.readSentText(sent.getMessageIds().get(0), null);
      String status = text.getStatus().getValue();
      if (status.equals("delivered") || status.equals("failed")) {
        System.out.println(client.getObjectMapper().writeValueAsString(text));
        return;
      }
      Thread.sleep(200);
    }
  }
}
`,
    },
    generate: runJar('-i ../openapi.json -g java --library native'),
    compile: `find client/src/main -name '*.java' >sources.txt
javac -nowarn -d classes -cp "${JARS}" @sources.txt Program.java 2>javac.txt || { head -n 30 javac.txt >&2; exit 1; }`,
    send: `java -cp "classes:${JARS}" Program`,
  },
  {
    language: 'PHP',
    name: 'OpenAPI Generator',
    tools: ['openapiGenerator', 'php'],
    files: {
      'load.php': `<?php
require '${GUZZLE}';
spl_autoload_register(function (string $class): void {
    $path = str_replace(['OpenAPI\\\\Client\\\\', '\\\\'], ['', '/'], $class);
    $file = __DIR__ . "/client/lib/$path.php";
    if (is_file($file)) require_once $file;
});
`,
      'compile.php': `<?php
require 'load.php';
$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator('client/lib'));
foreach ($files as $file) if ($file->getExtension() === 'php') require_once $file->getRealPath();
`,
      'program.php': `<?php
require 'load.php';
$configuration = new OpenAPI\\Client\\Configuration();
$configuration->setHost(getenv('URL'))->setApiKey('X-API-Key', getenv('KEY'));
$sending = new OpenAPI\\Client\\Api\\SendingApi(new GuzzleHttp\\Client(), $configuration);
$sent = $sending->send(new OpenAPI\\Client\\Model\\Send(['recipients' => ['+4911111'], 'body' => 'Hi']));
do {
    usleep(200_000);
    $text = $sending->readSentText($sent->getMessageIds()[0]);
} while (!in_array($text->getStatus(), ['delivered', 'failed']));
echo $text;
`,
    },
    generate: runJar('-i ../openapi.json -g php'),
    compile: 'php compile.php',
    send: 'php program.php',
  },
  {
    language: 'C#',
    name: 'OpenAPI Generator',
    tools: ['openapiGenerator', 'dotnet'],
    files: {
      'program/program.csproj': `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup><ProjectReference Include="../client/src/Org.OpenAPITools/Org.OpenAPITools.csproj" /></ItemGroup>
</Project>
`,
      'program/Program.cs': `using System;
using System.Collections.Generic;
using System.Threading;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Model;

var configuration = new Configuration { BasePath = Environment.GetEnvironmentVariable("URL") };
configuration.AddApiKey("X-API-Key", Environment.GetEnvironmentVariable("KEY"));
var sending = new SendingApi(configuration);
var sent = sending.Send(new Send(recipients: new List<string> { "+4911111" }, body: "Hi"));
while (true)
{
    var text = sending.ReadSentText(sent.MessageIds[0]);
    if (text.Status is SmsMessagesRecord.StatusEnum.Delivered or SmsMessagesRecord.StatusEnum.Failed)
    {
        Console.WriteLine(text.ToJson());
        return;
    }
    Thread.Sleep(200);
}
`,
    },
    generate: runJar('-i ../openapi.json -g csharp --library httpclient'),
    compile: 'dotnet build --nologo -v quiet program >&2',
    send: 'dotnet run --no-build --project program',
  },
]
