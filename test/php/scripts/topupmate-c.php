<?php
// Script that was written for a Topupmate server: format C. A text in the reply is a failure to it, whatever else it says, but
// `processing` is an order that its owner settles later.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

function call(string $path, array $fields): ?array
{
    global $address, $key;
    return json_decode(send("$address$path", [
        CURLOPT_TIMEOUT => 0,
        CURLOPT_FOLLOWLOCATION => true,
        CURLOPT_CUSTOMREQUEST => 'POST',
        CURLOPT_POSTFIELDS => json_encode($fields),
        CURLOPT_HTTPHEADER => ["Authorization: Token $key", 'Content-Type: application/json'],
    ]), true);
}

function conclude(?array $reply, array $details = []): never
{
    $common = ['reference' => $reply['reference'] ?? null, 'ref' => $reply['ref'] ?? null, 'balance' => $reply['newbal'] ?? null];
    $text = $reply['msg'] ?? $reply['message'] ?? $reply['error'][0] ?? null;
    match (true) {
        ($reply['status'] ?? '') === 'processing' => tell('pending', $text, $common),
        $text === null && ($reply['Status'] ?? '') === 'successful' => tell('delivered', null, [...$common, ...$details]),
        default => tell('refunded', $text ?? 'Unable to complete.', $common),
    };
}

function verify(?array $reply): never
{
    ($reply['status'] ?? '') === 'success' ? tell('shown', $reply['msg']) : tell('refused', $reply['msg'] ?? null);
}

switch ($service) {
    case 'airtime':
        conclude(call('/api/airtime/', [
            'network' => $order['network'],
            'phone' => $order['phone'],
            'amount' => $order['amount'],
            'airtime_type' => 'VTU',
            'ported_number' => 'false',
            'ref' => $order['id'],
        ]));
    case 'data':
        conclude(call('/api/data/', [
            'network' => $order['network'],
            'phone' => $order['phone'],
            'data_plan' => $order['plan'],
            'ported_number' => 'false',
            'ref' => $order['id'],
        ]));
    case 'verify-cable':
        verify(call('/api/cabletv/verify/', ['provider' => $order['cable'], 'iucnumber' => $order['iuc']]));
    case 'cable':
        conclude(call('/api/cabletv/', [
            'provider' => $order['cable'],
            'iucnumber' => $order['iuc'],
            'plan' => $order['plan'],
            'subtype' => 'RENEW',
            'phone' => $order['phone'],
            'ref' => $order['id'],
        ]));
    case 'verify-meter':
        $fields = ['provider' => $order['disco'], 'meternumber' => $order['meter'], 'metertype' => $order['meter_type']];
        verify(call('/api/electricity/verify/', $fields));
    case 'electricity':
        $reply = call('/api/electricity/', [
            'provider' => $order['disco'],
            'meternumber' => $order['meter'],
            'metertype' => $order['meter_type'],
            'amount' => $order['amount'],
            'phone' => $order['phone'],
            'ref' => $order['id'],
        ]);
        conclude($reply, ['token' => $reply['token'] ?? null]);
    case 'exam':
        $reply = call('/api/exam/', ['provider' => $order['exam'], 'quantity' => $order['quantity'], 'ref' => $order['id']]);
        conclude($reply, ['pins' => explode(',', $reply['pin'] ?? '')]);
    case 'recharge-card':
        $reply = call('/api/rechargepin/', [
            'network' => $order['network'],
            'quantity' => $order['quantity'],
            'plan' => $order['amount'],
            'businessname' => $order['card_name'],
            'ref' => $order['id'],
        ]);
        conclude($reply, ['pins' => explode(',', $reply['pin'] ?? ''), 'serials' => explode(',', $reply['serial'] ?? '')]);
}
