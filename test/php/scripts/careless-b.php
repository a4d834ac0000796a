<?php
// Scripts that look at one thing only; the service names the thing. None has a word for pending.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

$reply = json_decode(send("$address/api/topup/", [
    CURLOPT_POST => true,
    CURLOPT_POSTFIELDS => json_encode([
        'network' => $order['network'],
        'amount' => $order['amount'],
        'mobile_number' => $order['phone'],
        'Ported_number' => true,
        'airtime_type' => 'VTU',
    ]),
    CURLOPT_HTTPHEADER => ["Authorization: Token $key", 'Content-Type: application/json'],
], $http), true);
$isSold = match ($service) {
    'no-error-key' => !isset($reply['error']),
    'any-id' => isset($reply['id']),
    'any-2xx' => $http >= 200 && $http < 300,
    'success-flag' => ($reply['success'] ?? false) === true,
};
$details = ['reference' => $reply['ident'] ?? null, 'balance' => $reply['balance_after'] ?? null];
$isSold ? tell('delivered', $reply['api_response'] ?? null, $details) : tell('refunded', $reply['error'][0] ?? null, $details);
