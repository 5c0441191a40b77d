<?php
// Sends one text by Symfony Notifier, with the DSN of the page.
require 'Symfony/Component/Notifier/autoload.php';
require 'Symfony/Component/Notifier/Bridge/Twilio/autoload.php';
require 'Symfony/Component/HttpClient/autoload.php';

use Symfony\Component\Notifier\Exception\TransportException;
use Symfony\Component\Notifier\Message\SmsMessage;
use Symfony\Component\Notifier\Transport;

[, $dsn, $to, $text] = $argv;
try {
    echo Transport::fromDsn($dsn)->send(new SmsMessage($to, $text))->getMessageId();
} catch (TransportException $refused) {
    echo $refused->getMessage();
}
