<?php
// A Laravel shop written for husmodata: format B over Guzzle, with Ported_number and without an Accept of JSON. What its
// HTTP client throws at, anything but 200, is a refund. A lower-case `status` in the reply is looked up in a table of the
// shop's own, which does not know the word `success`.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

const STATES = ['completed' => 'delivered', 'queued' => 'pending'];

function post(string $path, array $fields): array
{
    global $address, $key;
    $text = send("$address$path", [
        CURLOPT_POSTFIELDS => json_encode($fields),
        CURLOPT_TIMEOUT => 30,
        // Guzzle names itself and takes cURL's own Accept away.
        CURLOPT_USERAGENT => 'GuzzleHttp/7',
        CURLOPT_HTTPHEADER => ["Authorization: Token $key", 'Content-Type: application/json', 'Accept:'],
    ], $http);
    $reply = json_decode($text, true) ?? [];
    if ($http !== 200) {
        tell('refunded', $reply['msg'] ?? null, ['reference' => null]);
    }
    return $reply;
}

$common = ['network' => $order['network'], 'mobile_number' => $order['phone'], 'Ported_number' => true];
$reply = match ($service) {
    'airtime' => post('/api/topup/', [...$common, 'amount' => $order['amount'], 'airtime_type' => 'VTU']),
    'data' => post('/api/data/', [...$common, 'plan' => $order['plan']]),
};
$told = array_key_exists('status', $reply)
    ? STATES[$reply['status']] ?? 'refunded'
    : ($reply['Status'] === 'successful' ? 'delivered' : 'refunded');
tell($told, $reply['api_response'], ['reference' => $reply['ident'], 'balance' => $reply['newbal']]);
