<?php
// What all scripts here share: the reseller's settings, the order of a customer, a call of cURL, and the one line in which a
// script says what it tells that customer. What to send, and how, and what to conclude is each script's own business.
//
//   php adex-a.php <address> <key> <service> '<order as JSON>'

declare(strict_types=1);

// A warning is a fault of our reply: it lands in these scripts' own JSON. The tests want none of it on standard error.
error_reporting(E_ALL);
ini_set('display_errors', 'stderr');

/** @return array{string, string, string, array<string, mixed>} address, key, service, order */
function settings(): array
{
    global $argv;
    $address = $argv[1] ?? getenv('GATEWAY_URL') ?: exit("An address is needed.\n");
    $key = $argv[2] ?? getenv('GATEWAY_KEY') ?: exit("A key is needed.\n");
    return [$address, $key, $argv[3] ?? '', json_decode($argv[4] ?? '{}', true)];
}

/** Sends one request by cURL with these options; returns the reply, which is empty where none came. */
function send(string $url, array $options, ?int &$http = null): string
{
    $curl = curl_init($url);
    curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true] + $options);
    $reply = (string) curl_exec($curl);
    $http = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    return $reply;
}

/** Ends the script. `told` is delivered, pending or refunded for a sale; shown or refused for a question. */
function tell(string $told, ?string $text, array $details = []): never
{
    echo json_encode(['told' => $told, 'text' => $text, ...$details], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
    exit(0);
}
