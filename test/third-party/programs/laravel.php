<?php
// Sends one notification by the channel of the page, in an application with nothing else.
require 'Illuminate/autoload.php';
require 'GuzzleHttp/autoload.php';

use Illuminate\Config\Repository;
use Illuminate\Contracts\Bus\Dispatcher as Bus;
use Illuminate\Contracts\Events\Dispatcher as Events;
use Illuminate\Foundation\Application;
use Illuminate\Notifications\ChannelManager;
use Illuminate\Notifications\Notification;
use Illuminate\Support\Facades\Facade;

[, $channel, $key, $to, $text] = $argv;
require $channel;

$app = new Application(__DIR__);
$app->instance('config', new Repository(['services' => ['sms' => ['key' => $key]]]));
$app->bind(Bus::class, fn () => new Illuminate\Bus\Dispatcher($app));
$app->bind(Events::class, fn () => new Illuminate\Events\Dispatcher($app));
Facade::setFacadeApplication($app);

class OrderPaid extends Notification
{
    public function __construct(private string $text)
    {
    }

    public function via(object $notifiable): array
    {
        return [App\Channels\SmsChannel::class];
    }

    public function toSms(object $notifiable): string
    {
        return $this->text;
    }
}

$customer = (object) ['phone' => $to];
$order = new OrderPaid($text);
$order->id = 'f3b1';
// as a job that runs again
foreach ([1, 2] as $run) {
    (new ChannelManager($app))->sendNow([$customer], $order);
}
